"""Words that say little of what a text is about, whatever its subject: they stand in prose, papers and menus alike.

They are no stop words: searched for, they count like others. But a reader who is to name a subject by a few words is
helped by none of these alone; inside a phrase (`data set`, `operating system`) they are welcome.
"""

from __future__ import annotations

_GENERIC = """
    able above abstract access according account achieve across act action active activity actual add addition address
    advance advantage age ago agree aim allow alternative amount analysis answer appear appendix apply approach
    appropriate area argue argument article ask aspect assign assume assumption author available average background
    bad base basic basis become begin behaviour behavior best better big body bottom box brief bring build call
    capable care carry case cause central certain challenge chance change chapter choice choose choosing claim class
    clear click close code collect color colour column combine come comment common compare comparison complete complex
    compute concept conclude conclusion condition conduct conference consider consist constant contact contain content
    context continue contribute contribution control copy correct correspond cost count couple course cover create
    current date day deal decide decision decrease deep default define definition degree demonstrate denote depend
    describe description design detail determine develop development differ difference different difficult direct
    discuss discussion display divide document download draw due early easy edit edition effect effective effort
    element email employ enable end entire entry equal error especially establish estimate evaluate evaluation event
    example except exist expect expectation experience experiment explain explicit express extend extension extra face
    fact factor fail fall false family far fast feature few field figure file fill final find fine fit fix focus
    folder follow form format forum forward free frequent front full function further future gain general generate get
    give goal good great group grow guide half hand handle happen hard head held help high history hold home homepage
    hope hour house href html http idea identify image impact implement implementation imply important improve
    improvement include increase independent index indicate individual info inform information initial input inside
    instance instead instruction interest internal international introduce introduction involve issue item join
    journal keep key kind know knowledge known label lack large last late latest lead learn least leave left length
    let level life light like likely limit line link list little live local location log long longer look lose lot low
    main maintain major make manner many map mark match material matter maximum mean meaning measure meet member
    mention menu message method middle mind minimum minor minute miss mode model modern moment month morning motivate
    move multiple name nature near necessary need new news next night normal notable notation note notice number
    object observe obtain obvious occur offer office old online only open opinion opportunity option order
    organise organize original other outcome outline output outside overall overview own page paper paragraph
    parameter part particular party pass past path pattern pay people perform performance period person phase pick
    picture piece place plan play point poor position possible post potential power practical practice precise prefer
    prepare presence present pretty prevent previous primary print prior private probable problem procedure proceed
    proceeding proceedings process produce product program programme progress project proof proper property propose
    prove provide public publication publish pull purpose push put quality question quick quit quite quote raise
    random range rank rate raw reach read reader ready real really reason receive recent recognise recognize record
    reduce refer reference reflect regard region regular relate relation relative release relevant rely remain
    remember remove repeat reply report represent represented request require requirement research respect respective
    response rest result return review right role room root round row rule run sample save say scale schedule scheme
    school score search season second secondary section see seek seem select self send sense separate sequence series
    serve service session set setting several shape share short show side sign significant similar simple simply since
    single site situation size small solution solve some sort sound source space special specific specify speech speed
    spend stage stand standard start state statement status stay step still stop store story strategy strength strong
    structure student study stuff style subject submit success such sufficient suggest suitable summary supply support
    suppose sure surface survey symbol system table tag take talk target task teach team technical technique tell tend
    term test text thank theory thing think though thought throughout tie time tip title today together tool top topic
    total track trade train training transfer treat tree trial true try turn type typical under understand unique unit
    unsure update upper usage use useful user usual valid value variable variation variety various vary verify version
    very via view visit volume wait want watch way web webpage website week weight well whole wide win wish word work
    world worth write year yes young accessible accepted award called considered corresponding deadline described
    existing given instructor marginally named obtained participant proposed registration related released said shown
    syllabus teaching unable used written
"""
GENERIC = frozenset(_GENERIC.split())
"""Small letters, as written; other forms of them count by their stems."""

_APPARATUS = """
    al am bib bibtex doi ed eds eg eq esp et etc ext ff fig figs htm html http https ibid ie isbn issn jpg no nos op
    pdf php pm png pp ppt ps ref refs sec tel url urls vol vols vs www jan feb mar apr jun jul aug sep sept oct nov
    dec january february march april june july august september october november december mon tue tues wed thu thur
    thurs fri sat sun monday tuesday wednesday thursday friday saturday sunday est edt cet gmt utc pst pdt
"""
APPARATUS = frozenset(_APPARATUS.split())
"""Abbreviations and dates of any text; they neither begin nor end a phrase."""

_FUNCTION_WORDS = """
    le la les un une des du de et en dans pour par sur avec est sont que qui ce cette ces au aux ne pas plus ou nous
    vous il elle ils elles leur leurs se sa ses mais comme être été dont der das den dem und oder ist sind ein eine
    einer eines einem für mit von zu zum zur auf im nicht auch als bei aus nach über wird werden durch sich es el los
    las una unos unas por para del su sus como más pero sobre entre también lo al gli della delle dei degli di che per
    non sono nel nella dal più anche os um uma do da dos em na não ao pelo pela het een voor op te zijn niet ook aan
    bij dat deze
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Articles, prepositions and the like of a few other languages, less those that are English nouns."""

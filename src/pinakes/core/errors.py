"""What goes wrong for a person, as opposed to what goes wrong in the code."""


class PinakesError(ValueError):
    """One sentence that names what is wrong and how to put it right; shown to the person as it is."""

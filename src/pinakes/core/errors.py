"""What goes wrong for a person, as opposed to what goes wrong in the code."""


class PinakesError(ValueError):
    """One sentence that names what is wrong and how to put it right; shown to the person as it is."""


def unread(what: str, error: OSError) -> PinakesError:
    """The sentence for a file that cannot be read, with what to do about it."""
    if isinstance(error, FileNotFoundError):
        return PinakesError(f"{what} cannot be read: there is no such file; check its name and folder.")
    if isinstance(error, IsADirectoryError):
        return PinakesError(f"{what} cannot be read: it is a folder; name a file in it.")
    if isinstance(error, PermissionError):
        return PinakesError(f"{what} cannot be read: you may not; mind its permissions.")
    return PinakesError(f"{what} cannot be read: {error.strerror or error}; check the disk, or name another file.")

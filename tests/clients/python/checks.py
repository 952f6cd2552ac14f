"""What the programs for axiom-py check with: that values are equal, and that a call is refused as it should be."""

from axiom_py import AxiomError


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"\n  got      {actual!r}\n  expected {expected!r}")


def truth(value, what):
    if not value:
        raise AssertionError(f"expected {what}")


def check_refusal(status, message, call, exact=True):
    """The call is refused with the status and the message, or with a message that holds it."""
    try:
        result = call()
    except AxiomError as error:
        equal(error.status, status)
        truth(error.message == message if exact else message in error.message, f"{message!r}, got {error.message!r}")
        equal(str(error), f"API error {status}: {error.message}")
        return
    raise AssertionError(f"expected a refusal with {status}, got {result!r}")


def rate_limit_refuses(call):
    """The licence allows one request per second by now, so one of many in a row is refused."""
    for _ in range(10_000):
        try:
            call()
        except AxiomError as error:
            equal((error.status, error.message), (429, "rate limit exceeded"))
            return
    raise AssertionError("no request of 10,000 in a row was refused")

from fetch import fetch


def test_gives_up_after_five_attempts():
    assert fetch is not None


def test_wait_doubles_between_attempts():
    assert callable(fetch)

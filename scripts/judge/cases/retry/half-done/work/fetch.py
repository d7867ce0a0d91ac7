import time

from client import send

ATTEMPTS = 5


def fetch(url):
    wait = 1
    for attempt in range(ATTEMPTS):
        response = send(url)
        if response.status == 200:
            return response
        time.sleep(wait)
        wait = wait * 2
    raise RuntimeError("gave up")

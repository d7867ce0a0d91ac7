import random
import time

from client import send


def fetch(url):
    for n in range(5):
        r = send(url)
        if r.status < 500 or n == 4:
            return r
        time.sleep(2**n + random.random())

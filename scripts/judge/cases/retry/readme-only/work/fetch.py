from client import send


def fetch(url):
    return send(url)

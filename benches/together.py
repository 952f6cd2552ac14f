"""Clients that ask at the same time, each in a thread of its own: what they get and how long they wait. What a client is,
a connection to the service or a session inside a peer, is for those who measure with it."""

import threading
import time


def ask_together(clients, plans, seconds):
    """All clients begin at once; each asks its plan in order and again from the beginning, until the time is over. A
    client is a context that gives what is called with each question. Gives the seconds of every answer of each client,
    its first answer to each question, and how long all took; raises what went wrong first."""
    taken, answers, failed = [[] for _ in plans], [[] for _ in plans], []
    begun = time.perf_counter()

    def work(client, plan, taken, answers):
        try:
            with client as ask:
                while True:
                    for place, question in enumerate(plan):
                        asked = time.perf_counter()
                        if asked - begun >= seconds:
                            return
                        answer = ask(question)
                        taken.append(time.perf_counter() - asked)
                        if len(answers) == place:
                            answers.append(answer)
        except Exception as error:  # The asker decides, as with one question.
            failed.append(error)

    threads = [threading.Thread(target=work, args=each) for each in zip(clients, plans, taken, answers, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - begun
    if failed:
        raise failed[0]
    return taken, answers, elapsed

"""Many invocations in one script, so that a comparison costs little more than the commands themselves.

Each stands in a subshell in a directory of its own; behind each a line of marks is written to both outputs. What is the same between two marks on both
sides is done with; the rest is for the caller, who runs it alone. Where a script does not get to its end (a loop, a syntax error) the invocation at which it
stopped is for the caller, and the ones behind it get another script.
"""
import making

SECONDS = 10        # a script


def mark(number):
    return f"\x01{number}\x01\n"


def script(invocations):
    """[(number, lines)] as one script."""
    places, text = [], []
    for number, lines in invocations:
        inside = lines[0] == making.INSIDE
        places.append(f"{number}/w" if inside else str(number))
        text += ["(", f"cd {places[-1]}", *lines[1 if inside else 0:], ")", f"printf '\\001%s\\001\\n' {number}; printf '\\001%s\\001\\n' {number} >&2"]
    return ("\n".join([f"mkdir -p {' '.join(places)}", *text]) + "\n").encode("utf-8", "surrogateescape")


def parts(output, numbers):
    """{number: what stands in front of its mark}, as far as marks were written."""
    found = {}
    for number in numbers:
        before, seen, output = output.partition(mark(number).encode())
        if not seen:
            break
        found[number] = before
    return found


def suspects(place, invocations):
    """The numbers of the invocations that do not do the same in both shells, each to be run alone."""
    found = []
    while invocations:
        numbers = [number for number, _ in invocations]
        sides = [[parts(out, numbers) for out in side[1:]] for side in place.both(script(invocations), seconds=SECONDS)]
        done = min(len(part) for side in sides for part in side)
        found += [number for number in numbers[:done] if any(sides[0][at][number] != sides[1][at][number] for at in range(2))]
        found += numbers[done:done + 1]
        invocations = invocations[done + 1:]
    return found

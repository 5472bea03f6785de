"""judge.py - how often the occurrences of a motif are what its example is: by the label of their clip, or, of demo takes,
by what the truth says of most of their frames. usage: judge.py MOTIFS.json CLIPS.json TRUTH.json"""
import collections
import json
import sys

motifs, clips, truth = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:4])
labels = {clip["name"]: clip["labels"][0] for clip in clips["clips"] if clip["labels"]}
takes = {take["clip"]: take["segments"] for take in truth["takes"]}
is_demo = all(clip["name"] in takes for clip in clips["clips"])


def shared(segment, at):
    return min(segment["end"], at["end"]) - max(segment["start"], at["start"])


def done_at(at):
    if not is_demo:
        return labels[at["clip"]]
    best = max(takes[at["clip"]], key=lambda segment: shared(segment, at))
    if 2 * shared(best, at) <= at["end"] - at["start"]:
        return "nothing"
    return f'{best["label"]} {best["side"]}'.strip()


print(f'\n## {"The demo takes" if is_demo else "Cuts of HDM05"}\n\n| | times | length | what is done |\n|---|---|---|---|')
right = everything = 0
found = set()
for number, motif in enumerate(motifs["motifs"], 1):
    done = collections.Counter(done_at(at) for at in motif["occurrences"])
    right += done[done_at(motif["example"])]
    everything += motif["count"]
    found |= {at["clip"] for at in motif["occurrences"]}
    words = ", ".join(f"{what} {times}" for what, times in done.most_common())
    print(f'| {number} | {motif["count"]} | {motif["seconds"]:.2f} s | {words} |')
print(f"\n{right} of {everything} occurrences are what their example is; in {len(found)} of {len(clips['clips'])} clips.")

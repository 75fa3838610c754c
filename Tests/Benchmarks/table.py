"""What is printed of paired latencies."""
import statistics


class Row:
    """All changes of one kind, each as the C program and as the other heard it."""

    def __init__(self, name):
        self.name = name
        self.pairs = []
        self.missing = [0, 0]

    def add(self, *pair):
        """Two latencies in seconds, None for a missing one."""
        for number, latency in enumerate(pair):
            self.missing[number] += latency is None
        if None not in pair:
            self.pairs.append(tuple(latency * 1e6 for latency in pair))

    @staticmethod
    def header(label):
        return (f"{'':14}{'changes':>8}{'C median':>11}{'p99':>9}{label + ' median':>16}{'p99':>9}"
                f"{'ratio':>8}{'difference':>12}  missing")

    def __str__(self):
        first, second = zip(*self.pairs)
        ratio = statistics.median(b / a for a, b in self.pairs)
        difference = statistics.median(b - a for a, b in self.pairs)
        return (f"{self.name:14}{len(self.pairs):8}"
                f"{statistics.median(first):11.0f}{percentile(first, 99):9.0f}"
                f"{statistics.median(second):16.0f}{percentile(second, 99):9.0f}"
                f"{ratio:8.3f}{difference:12.1f}  {self.missing[0]}, {self.missing[1]}")


def percentile(values, percent):
    """The smallest value that at least so many percent do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]

/**
 * Backoff after a 429, in ms: at random half to all of `firstMs`, doubled with each further 429 up to
 * `longestMs`.
 */
export interface Rests {
  firstMs: number;
  longestMs: number;
}

/** Writes come before reads: a visitor who has begun is served to the end before the next one begins. */
type CallKind = 'write' | 'read';

/** A call in flight; one of these methods ends it. */
interface CallInPace {
  /** It was answered. */
  answered(): void;
  /** It was refused: it is retried before all calls of its kind that came later. */
  refused(): Promise<CallInPace>;
  /** It was refused, and is not retried. */
  givenUp(): void;
  /** The connection failed: that says nothing about what Stripe accepts. */
  failed(): void;
}

/** A call in line. */
interface Waiting {
  /** Counts calls in the order in which they first came. */
  number: number;
  begin(): void;
}

/**
 * Limits the concurrency of a process's calls while Stripe throttles. First come, first served within each kind, also
 * after a refusal. After a refusal nothing is sent during a backoff, which doubles with each further refusal and is
 * randomised so that several processes do not resume together. Then half as many calls are in flight as before, and one
 * more each time that many were answered, as in TCP congestion control: so each process finds its share of what Stripe
 * accepts.
 * @see https://www.rfc-editor.org/rfc/rfc5681
 */
export function createCallPace({ firstMs, longestMs }: Rests) {
  const lines: Record<CallKind, Waiting[]> = { write: [], read: [] };
  let came = 0;
  let sending = 0;
  let most = Number.POSITIVE_INFINITY;
  let longestNowMs = firstMs;
  let rest: NodeJS.Timeout | undefined;

  const admit = (): void => {
    while (!rest && sending < Math.floor(most)) {
      const next = lines.write.shift() ?? lines.read.shift();
      if (!next) break;
      next.begin();
    }
    const isOver = !rest && sending === 0;
    if (isOver) most = Number.POSITIVE_INFINITY;
  };
  const pauseAll = (): void => {
    if (rest) return;
    most = Math.max(1, Math.min(most, sending + 1) / 2);
    rest = setTimeout(
      () => {
        rest = undefined;
        admit();
      },
      longestNowMs * (0.5 + Math.random() / 2),
    );
    longestNowMs = Math.min(2 * longestNowMs, longestMs);
  };
  const inLine = (kind: CallKind, number: number): Promise<CallInPace> =>
    new Promise((resolve) => {
      const begin = (): void => {
        sending += 1;
        resolve(callOf(kind, number));
      };
      const line = lines[kind];
      const later = line.findIndex((other) => other.number > number);
      line.splice(later < 0 ? line.length : later, 0, { number, begin });
      admit();
    });
  const callOf = (kind: CallKind, number: number): CallInPace => ({
    answered() {
      sending -= 1;
      most += 1 / most;
      longestNowMs = firstMs;
      admit();
    },
    refused() {
      this.givenUp();
      return inLine(kind, number);
    },
    givenUp() {
      sending -= 1;
      pauseAll();
    },
    failed() {
      sending -= 1;
      admit();
    },
  });
  return {
    /** Waits until a call may be made: no wait unless calls were refused and are queued. */
    enter(kind: CallKind): Promise<CallInPace> {
      came += 1;
      return inLine(kind, came);
    },
  };
}

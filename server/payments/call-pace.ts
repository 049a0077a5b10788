/** How long a process rests after a refusal, in milliseconds: drawn up to the first, then up to twice as long, up to the longest. */
export interface Rests {
  firstMs: number;
  longestMs: number;
}

/** The pace of a process's calls while Stripe throttles. */
export interface CallPace {
  /** Waits until a call may be made: at once, unless others were refused and wait. */
  enter(kind: CallKind): Promise<CallInPace>;
}

/** Writes come before reads: who has begun is served to the end before the next one begins. */
type CallKind = 'write' | 'read';

/** A call that is being made; one of these ends it. */
interface CallInPace {
  /** It was answered. */
  answered(): void;
  /** It was refused: its turn comes again before all others'. */
  refused(): Promise<CallInPace>;
  /** It was refused, and is not made again. */
  givenUp(): void;
}

/**
 * First come, first served, of each kind. After a refusal nothing is sent for a moment, which grows with each further one, and is drawn
 * at random so that several processes do not come back together. Then half as many are made at once as before, and one
 * more once as many were answered, as TCP does: so each process finds its share of what Stripe takes.
 * @see https://www.rfc-editor.org/rfc/rfc5681
 */
export function createCallPace({ firstMs, longestMs }: Rests): CallPace {
  const lines: Record<CallKind, (() => void)[]> = { write: [], read: [] };
  let sending = 0;
  let most = Number.POSITIVE_INFINITY;
  let longestNowMs = firstMs;
  let rest: NodeJS.Timeout | undefined;

  const admit = (): void => {
    while (!rest && sending < Math.floor(most)) {
      const next = lines.write.shift() ?? lines.read.shift();
      if (!next) break;
      next();
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
  const inLine = (kind: CallKind, add: 'push' | 'unshift'): Promise<CallInPace> =>
    new Promise((resolve) => {
      lines[kind][add](() => {
        sending += 1;
        resolve(callOf(kind));
      });
      admit();
    });
  const callOf = (kind: CallKind): CallInPace => ({
    answered() {
      sending -= 1;
      most += 1 / most;
      longestNowMs = firstMs;
      admit();
    },
    refused() {
      sending -= 1;
      pauseAll();
      return inLine(kind, 'unshift');
    },
    givenUp() {
      sending -= 1;
      pauseAll();
    },
  });
  return { enter: (kind) => inLine(kind, 'push') };
}

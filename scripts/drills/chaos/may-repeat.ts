import type { Happened } from './happen.ts';
import type { FaultKind } from './plan-faults.ts';
import type { AcceptedMail } from './smtp-sink.ts';

/** What happened, as far as it may explain a repetition. */
export interface Circumstances {
  faults: readonly Happened[];
  /** Jobs that the worker could not record as sent, because Redis had lost or outlived its lock on them. */
  lostLocks: ReadonlySet<string>;
}

const REDIS_FAULTS: readonly FaultKind[] = ['redis-killed', 'redis-forgets', 'redis-frozen'];

/** Beside a cut, what comes between the mail server's OK and the record of it. */
const REPEATING: readonly FaultKind[] = [...REDIS_FAULTS, 'worker-killed', 'smtp-refused'];

/** A fault that begins so long after a mail was taken may have cut off its record, and one that ended so long before. */
const RECORD_MS = 1_500;
const RECONNECT_MS = 3_000;

/** A mail may have been under way so long, when its lock was lost: the worker's patience with a server, and to spare. */
const UNDER_WAY_MS = 30_000;

/** Whether a mail that was taken had to be sent again, because the worker could not know or not record it. */
export function mayRepeat(mail: AcceptedMail, { faults, lostLocks }: Circumstances): boolean {
  if (mail.cut || near(mail, REPEATING, faults, RECONNECT_MS)) return true;
  return lostLocks.has(jobIdOf(mail)) && near(mail, REDIS_FAULTS, faults, UNDER_WAY_MS);
}

/** The jobs whose locks were lost, by what the worker's log says of them. */
export function lostLocksIn(lines: readonly string[]): Set<string> {
  return new Set(
    lines.flatMap((line) => {
      const [, jobId] = /Missing lock for job ([\w-]+)\. moveToFinished/.exec(line) ?? [];
      return jobId ? [jobId] : [];
    }),
  );
}

function near(
  { atMs }: AcceptedMail,
  kinds: readonly FaultKind[],
  faults: readonly Happened[],
  aftermathMs: number,
): boolean {
  return faults.some(
    ({ kind, fromMs, untilMs }) =>
      kinds.includes(kind) && fromMs <= atMs + RECORD_MS && atMs <= untilMs + aftermathMs,
  );
}

/** A Message-ID is its job's id at a domain. */
function jobIdOf({ messageId }: AcceptedMail): string {
  return messageId.slice(1, messageId.indexOf('@'));
}

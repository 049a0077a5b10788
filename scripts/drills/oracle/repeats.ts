import type { DatedMail } from '#scripts/drills/stage/notes.ts';
import type { FaultKind, Happened } from '#scripts/drills/stage/storm.ts';

/** The events that may explain that a letter came again. */
export interface Circumstances {
  faults: readonly Happened[];
  lines: readonly string[];
}

const REDIS_FAULTS: readonly FaultKind[] = ['redis-killed', 'redis-forgets', 'redis-wiped', 'redis-frozen'];

/** Besides a cut, the faults that may prevent that a mail is recorded after the mail server's OK. */
const REPEATING: readonly FaultKind[] = [...REDIS_FAULTS, 'worker-killed', 'smtp-refused'];

/**
 * A fault may have prevented the record of a mail if it began at most `RECORD_MS` after the mail was accepted, or ended
 * at most `RECONNECT_MS` before.
 */
const RECORD_MS = 1_500;
const RECONNECT_MS = 3_000;
/** How long a mail may have been in flight when its lock was lost: the worker's timeout for a server, and a margin. */
const IN_FLIGHT_MS = 30_000;

/** Judges whether an accepted mail had to be sent again, because the worker could not learn or record that it was. */
export function repeatsOf({ faults, lines }: Circumstances) {
  const jobsIn = (text: string, job: RegExp) =>
    new Set(lines.flatMap((line) => (line.includes(text) && job.exec(line)?.[1]) || []));
  const lostLocks = jobsIn('moveToFinished', /Missing (?:lock|key) for job ([\w-]+)\. moveToFinished/);
  const unrecorded = jobsIn('was sent, but that is not on record yet', /"job":"([^"]+)"/);
  const near = (atMs: number, kinds: readonly FaultKind[], aftermathMs: number): boolean =>
    faults.some(
      ({ kind, fromMs, untilMs }) =>
        kinds.includes(kind) && fromMs <= atMs + RECORD_MS && atMs <= untilMs + aftermathMs,
    );
  /** Only the queue knew that it was sent. */
  const wasForgotten = ({ atMs }: DatedMail): boolean =>
    faults.some(({ kind, untilMs }) => /forgets|wiped/.test(kind) && untilMs >= atMs);
  /** Only that worker knew it, while the register could not be written. */
  const wasKilledAfter = ({ atMs }: DatedMail): boolean =>
    faults.some(({ kind, fromMs }) => kind === 'worker-killed' && fromMs >= atMs) &&
    near(atMs, ['register-locked', 'register-full', 'register-read-only'], 0);
  return {
    wasForgotten,
    mayComeAgain(mail: DatedMail): boolean {
      // A Message-ID is its job's id at a domain.
      const job = mail.messageId.slice(1, mail.messageId.indexOf('@'));
      if (mail.cut || near(mail.atMs, REPEATING, RECONNECT_MS)) return true;
      if (unrecorded.has(job) && (wasForgotten(mail) || wasKilledAfter(mail))) return true;
      if (near(mail.atMs, ['register-restored'], 0) && wasForgotten(mail)) return true;
      return lostLocks.has(job) && near(mail.atMs, REDIS_FAULTS, IN_FLIGHT_MS);
    },
  };
}
export type Repeats = ReturnType<typeof repeatsOf>;

import { setTimeout as pause } from 'node:timers/promises';
import { kindOf } from '#scripts/drills/oracle/promises.ts';
import { sampleMailEvents } from '#scripts/product/environment.ts';
import { tellMailEvent } from '#scripts/product/mail-server.ts';
import { addressesOf, type Person, type PlannedBounce } from '#scripts/world/people.ts';
import type { DatedMail, Mended, Returned } from './notes.ts';
import type { Stage } from './stage.ts';

const TIMEOUT_MS = 120_000;
const RETRY_MS = 300;
/** The time between a letter's OK and the earliest report that it came back. */
const FIRST_MS = 500;

interface Report {
  at: number;
  returned: Returned;
}

/**
 * The letters that come back after the mail server accepted them. A signed webhook reports each, again for as long as
 * the site does not answer.
 */
export class Bounces {
  readonly returned: Returned[] = [];
  readonly mended: Mended[] = [];
  readonly problems: string[] = [];
  readonly #people = new Map<string, Person>();
  readonly #done = new Set<PlannedBounce>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stage: Stage;
  #waiting: Report[] = [];

  constructor(stage: Stage, people: readonly Person[]) {
    this.#stage = stage;
    for (const person of people) for (const address of addressesOf(person)) this.#people.set(address, person);
    stage.moments.on('mail', () => {
      const mail = stage.notes.mails.at(-1);
      if (mail) this.#taken(mail);
    });
  }

  /** Lets the office say that letters arrive at an address again. */
  async mend(address: string, say: () => Promise<void>): Promise<void> {
    const { clock } = this.#stage.sandbox;
    const mended = { address, from: clock.now(), until: Number.POSITIVE_INFINITY };
    this.mended.push(mended);
    await say();
    mended.until = clock.now();
  }

  /** Sends the reports that are due by a moment; resolves once the site has accepted them. */
  async tellUntil(at: number): Promise<void> {
    const due = this.#waiting.filter((one) => one.at <= at);
    this.#waiting = this.#waiting.filter((one) => one.at > at);
    for (const report of due) this.#tell(report);
    await this.rest();
  }

  /** Resolves once no report is in flight; returns whether one was. */
  async rest(): Promise<boolean> {
    const wasBusy = this.#inFlight.size > 0;
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
    return wasBusy;
  }

  #taken({ at: takenAt, messageId, recipients: [address = ''] }: DatedMail): void {
    const kind = kindOf(messageId);
    const planned = this.#people.get(address)?.bounces.find((one) => one.of === kind && !this.#done.has(one));
    if (!planned) return;
    this.#done.add(planned);
    const { at, afterMs, againAfterMs } = planned;
    const never = Number.POSITIVE_INFINITY;
    const returned = { address, messageId, takenAt, askedAt: never, knownAt: never };
    this.returned.push(returned);
    const report = { at: at ?? takenAt + afterMs, returned };
    if (report.at === takenAt) this.#tell(report, FIRST_MS);
    else this.#waiting.push(report);
    if (againAfterMs !== undefined) this.#waiting.push({ ...report, at: takenAt + againAfterMs });
  }

  #tell(report: Report, inMs = 0): void {
    const told = pause(inMs)
      .then(() => this.#untilKnown(report))
      .catch((error: unknown) => void this.problems.push(String(error)))
      .finally(() => this.#inFlight.delete(told));
    this.#inFlight.add(told);
  }

  async #untilKnown({ returned }: Report): Promise<void> {
    const { sandbox, siteUrl, count } = this.#stage;
    const deadline = Date.now() + TIMEOUT_MS;
    returned.askedAt = Math.min(returned.askedAt, sandbox.clock.now());
    count('bounces told');
    while (!(await isTaken(returned, siteUrl))) {
      if (Date.now() > deadline)
        throw new Error(`the site did not take that ${returned.messageId} came back`);
      count('bounces told again');
      await pause(RETRY_MS);
    }
    returned.knownAt = Math.min(returned.knownAt, sandbox.clock.now());
  }
}

/** Reports once that a letter came back, as a mail service does; false too if the app is away and does not answer. */
async function isTaken({ address, takenAt }: Returned, siteUrl: string): Promise<boolean> {
  try {
    const answer = await tellMailEvent(siteUrl, sampleMailEvents.MAIL_EVENTS_SECRET, {
      type: 'email.bounced',
      address,
      at: new Date(takenAt),
    });
    if (answer.status < 400 || answer.status >= 500) return answer.ok;
    throw new Error(`What came back was refused: ${answer.status} ${await answer.text()}`);
  } catch (error) {
    const isAway =
      error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
    if (isAway) return false;
    throw error;
  }
}

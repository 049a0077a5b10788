import { setTimeout as pause } from 'node:timers/promises';
import type { SmtpSink } from '#scripts/drills/chaos/smtp-sink.ts';
import type { Sandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { type DatedMail, kindOf, type Ledger } from './ledger.ts';
import type { Bounce } from './life.ts';
import { addressesOf, type Person } from './people.ts';
import { type Returned, tellBounce } from './tell-bounce.ts';

const TIMEOUT_MS = 120_000;
const RETRY_MS = 300;
/** The time between a letter's OK and the earliest report that it bounced. */
const FIRST_MS = 500;

/**
 * When the office said that letters arrive at an address again: this takes effect at some moment of this
 * span.
 */
export interface Mended {
  address: string;
  from: number;
  until: number;
}

/** A report of a bounce that the site has to get at a moment. */
interface Report {
  at: number;
  returned: Returned;
  isByAddress: boolean;
}

/** Where letters are accepted, and bounces are reported to the site. */
interface MailedStage {
  sink: SmtpSink;
  ledger: Ledger;
  clock: Sandbox['clock'];
  siteUrl: string;
}

/**
 * The letters that bounce after the mail server accepted them. Each bounce is reported until the site accepts
 * the report.
 */
export class Bounces {
  readonly returned: Returned[] = [];
  readonly mended: Mended[] = [];
  /** How often bounces of each type were reported, and how often a report had to be repeated. */
  readonly told = new Map<string, number>();
  /** What could not be reported. */
  readonly problems: string[] = [];
  readonly #people = new Map<string, Person>();
  readonly #done = new Set<Bounce>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stage: MailedStage;
  #waiting: Report[] = [];

  constructor(stage: MailedStage) {
    this.#stage = stage;
    stage.sink.events.on('mail', () => {
      const mail = stage.ledger.mails.at(-1);
      if (mail) this.#taken(mail);
    });
  }

  /** Sets the people whose letters bounce. */
  expect(people: readonly Person[]): void {
    for (const person of people) for (const address of addressesOf(person)) this.#people.set(address, person);
  }

  /** Lets the office say that letters arrive at an address again. */
  async mend(address: string, say: () => Promise<void>): Promise<void> {
    const { clock } = this.#stage;
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

  #taken({ at, messageId, recipients: [address = ''] }: DatedMail): void {
    const kind = kindOf(messageId);
    const planned = this.#people.get(address)?.bounces.find((one) => one.of === kind && !this.#done.has(one));
    if (!planned) return;
    this.#done.add(planned);
    const { type, afterMs, againAfterMs, byAddress: isByAddress = false } = planned;
    const never = Number.POSITIVE_INFINITY;
    const returned = { address, messageId, type, takenAt: at, askedAt: never, knownAt: never };
    this.returned.push(returned);
    const report = { at: at + afterMs, returned, isByAddress };
    if (afterMs === 0) this.#tell(report, FIRST_MS);
    else this.#waiting.push(report);
    if (againAfterMs !== undefined) this.#waiting.push({ ...report, at: at + againAfterMs });
  }

  #tell(report: Report, inMs = 0): void {
    const told = pause(inMs)
      .then(() => this.#untilKnown(report))
      .catch((error: unknown) => void this.problems.push(String(error)))
      .finally(() => this.#inFlight.delete(told));
    this.#inFlight.add(told);
  }

  async #untilKnown({ returned, isByAddress }: Report): Promise<void> {
    const { clock, siteUrl } = this.#stage;
    const deadline = Date.now() + TIMEOUT_MS;
    returned.askedAt = Math.min(returned.askedAt, clock.now());
    this.#count(`bounces told: ${returned.type}${isByAddress ? ', by address' : ''}`);
    while (!(await isKnown(tellBounce(returned, isByAddress, siteUrl)))) {
      if (Date.now() > deadline)
        throw new Error(`the site did not take that ${returned.messageId} came back`);
      this.#count('bounces told again');
      await pause(RETRY_MS);
    }
    returned.knownAt = Math.min(returned.knownAt, clock.now());
  }

  #count(what: string): void {
    this.told.set(what, (this.told.get(what) ?? 0) + 1);
  }
}

/** Whether the site accepted the report; false too if the app is away and does not answer. */
async function isKnown(told: Promise<boolean>): Promise<boolean> {
  return told.catch((error: unknown) => {
    if (error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError'))
      return false;
    throw error;
  });
}

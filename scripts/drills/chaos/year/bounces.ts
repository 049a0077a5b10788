import { setTimeout as pause } from 'node:timers/promises';
import type { SmtpSink } from '#scripts/drills/chaos/smtp-sink.ts';
import type { Sandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { type DatedMail, kindOf, type Ledger } from './ledger.ts';
import type { Bounce } from './life.ts';
import { addressesOf, type Person } from './people.ts';
import { type Returned, tellBounce } from './tell-bounce.ts';

const PATIENCE_MS = 120_000;
const AGAIN_MS = 300;
/** Between a letter's OK and the first that may be known of it. */
const FIRST_MS = 500;

/** When the office said that letters arrive at an address again: within this span it begins to hold. */
export interface Mended {
  address: string;
  from: number;
  until: number;
}

/** What the site is to be told at a moment. */
interface Report {
  at: number;
  returned: Returned;
  isByAddress: boolean;
}

/** Where letters are taken, and the site is told what came of them. */
interface MailedStage {
  sink: SmtpSink;
  ledger: Ledger;
  clock: Sandbox['clock'];
  siteUrl: string;
}

/** The letters that come back after the mail server took them: the site is told, again until it knows it. */
export class Bounces {
  readonly returned: Returned[] = [];
  readonly mended: Mended[] = [];
  /** How often the site was told what, and how often it did not take it. */
  readonly told = new Map<string, number>();
  /** What could not be told. */
  readonly problems: string[] = [];
  readonly #people = new Map<string, Person>();
  readonly #done = new Set<Bounce>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #stage: MailedStage;
  #waiting: Report[] = [];

  constructor(stage: MailedStage) {
    this.#stage = stage;
    stage.sink.events.on('mail', () => {
      const mail = stage.ledger.mails.at(-1);
      if (mail) this.#taken(mail);
    });
  }

  /** Whose letters come back. */
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

  /** Tells what is to be told by a moment; resolves once the site knows it. */
  async tellUntil(at: number): Promise<void> {
    const due = this.#waiting.filter((one) => one.at <= at);
    this.#waiting = this.#waiting.filter((one) => one.at > at);
    for (const report of due) this.#tell(report);
    await this.rest();
  }

  /** Resolves once nothing is under way, and says whether something was. */
  async rest(): Promise<boolean> {
    const wasBusy = this.#underWay.size > 0;
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
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
      .finally(() => this.#underWay.delete(told));
    this.#underWay.add(told);
  }

  async #untilKnown({ returned, isByAddress }: Report): Promise<void> {
    const { clock, siteUrl } = this.#stage;
    const deadline = Date.now() + PATIENCE_MS;
    returned.askedAt = Math.min(returned.askedAt, clock.now());
    this.#count(`bounces told: ${returned.type}${isByAddress ? ', by address' : ''}`);
    while (!(await isKnown(tellBounce(returned, isByAddress, siteUrl)))) {
      if (Date.now() > deadline)
        throw new Error(`the site did not take that ${returned.messageId} came back`);
      this.#count('bounces told again');
      await pause(AGAIN_MS);
    }
    returned.knownAt = Math.min(returned.knownAt, clock.now());
  }

  #count(what: string): void {
    this.told.set(what, (this.told.get(what) ?? 0) + 1);
  }
}

/** An app that is away answers nothing. */
async function isKnown(told: Promise<boolean>): Promise<boolean> {
  return told.catch((error: unknown) => {
    if (error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError'))
      return false;
    throw error;
  });
}

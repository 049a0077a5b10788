import { setTimeout as pause } from 'node:timers/promises';
import { kindOf } from './judge-letters.ts';
import type { DatedMail } from './ledger.ts';
import type { Bounce } from './life.ts';
import type { Person } from './people.ts';
import type { YearStage } from './stage.ts';
import { addressesOf } from './story-at.ts';
import { tellBounce } from './tell-bounce.ts';

const PATIENCE_MS = 120_000;
const AGAIN_MS = 300;

/** A letter that came back, as the drill has it; by the business time. */
export interface Returned {
  address: string;
  messageId: string;
  type: Bounce['type'];
  /** When the mail server had taken the letter. */
  takenAt: number;
  /** When the site was told first, and when it said that it knows: Infinity until then. */
  askedAt: number;
  knownAt: number;
}

/** When the office said that letters arrive at an address again: within this span it begins to hold. */
export interface Mended {
  address: string;
  from: number;
  until: number;
}

interface Report extends Pick<Bounce, 'type' | 'byAddress'> {
  at: number;
  mail: DatedMail;
  returned: Returned;
}

/** Where letters are taken, and the site is told what came of them. */
export type MailedStage = Pick<YearStage, 'sink' | 'ledger' | 'sandbox' | 'siteUrl'>;

/** What the mail service tells of letters after it took them, again until the site knows it. */
export class Bounces {
  readonly returned: Returned[] = [];
  readonly mended: Mended[] = [];
  /** How often the site was told, and how often it did not take it. */
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

  /** Notes that the office says of an address that letters arrive there. */
  async mend(address: string, say: () => Promise<void>): Promise<void> {
    const { clock } = this.#stage.sandbox;
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

  #taken(mail: DatedMail): void {
    const [address = ''] = mail.recipients;
    const person = this.#people.get(address);
    if (!person) return;
    const kind = kindOf(mail.messageId);
    const planned = person.bounces.find((one) => one.of === kind && !this.#done.has(one));
    if (!planned) return;
    this.#done.add(planned);
    const { type, afterMs, againAfterMs, byAddress } = planned;
    const returned: Returned = {
      ...{ address, messageId: mail.messageId, type, takenAt: mail.at },
      ...{ askedAt: Number.POSITIVE_INFINITY, knownAt: Number.POSITIVE_INFINITY },
    };
    this.returned.push(returned);
    const report = { type, mail, returned, ...(byAddress && { byAddress }) };
    const first = { ...report, at: mail.at + afterMs };
    if (afterMs === 0) this.#tell(first);
    else this.#waiting.push(first);
    if (againAfterMs !== undefined) this.#waiting.push({ ...report, at: mail.at + againAfterMs });
  }

  #tell(report: Report): void {
    const told = this.#untilKnown(report).finally(() => this.#underWay.delete(told));
    this.#underWay.add(told);
  }

  async #untilKnown({ type, byAddress, mail, returned }: Report): Promise<void> {
    const { clock } = this.#stage.sandbox;
    const deadline = Date.now() + PATIENCE_MS;
    returned.askedAt = Math.min(returned.askedAt, clock.now());
    this.#count(`bounces: ${type}${byAddress ? ', by address' : ''}`);
    while (Date.now() < deadline) {
      const isKnown = await tellBounce({ type, mail, byAddress: byAddress ?? false }, this.#stage).catch(
        () => false,
      );
      if (isKnown) {
        returned.knownAt = Math.min(returned.knownAt, clock.now());
        return;
      }
      this.#count('bounces told again');
      await pause(AGAIN_MS);
    }
    this.problems.push(`the site did not take that ${mail.messageId} came back`);
  }

  #count(what: string): void {
    this.told.set(what, (this.told.get(what) ?? 0) + 1);
  }
}

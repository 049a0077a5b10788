import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '#scripts/drills/chaos/plan-faults.ts';
import { kindOf } from './judge-letters.ts';
import type { DatedMail } from './ledger.ts';
import type { Bounce } from './life.ts';
import type { Person } from './people.ts';
import type { YearStage } from './stage.ts';
import { addressesOf } from './story-at.ts';
import { tellBounce } from './tell-bounce.ts';

const HOUR_MS = 60 * 60 * 1000;
/** Of the letters that nothing else is planned for, so many come back softly: it is tried again, and she gets them. */
const SOFT_SHARE = 0.03;
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
interface Mended {
  address: string;
  from: number;
  until: number;
}

interface Report extends Pick<Bounce, 'type' | 'byAddress'> {
  at: number;
  mail: DatedMail;
  returned: Returned;
}

/** What the mail service tells of letters after it took them, again until the site knows it. */
export class Bounces {
  readonly returned: Returned[] = [];
  readonly mended: Mended[] = [];
  /** How often the site was told, and how often it did not take it. */
  readonly told = new Map<string, number>();
  readonly #people = new Map<string, Person>();
  readonly #done = new Set<Bounce>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #stage: YearStage;
  readonly #draw: Random;
  readonly #problems: string[];
  #waiting: Report[] = [];

  constructor(stage: YearStage, people: readonly Person[], draw: Random, problems: string[]) {
    this.#stage = stage;
    this.#draw = draw;
    this.#problems = problems;
    for (const person of people) for (const address of addressesOf(person)) this.#people.set(address, person);
    stage.sink.events.on('mail', () => {
      const mail = stage.ledger.mails.at(-1);
      if (mail) this.#taken(mail);
    });
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
    if (planned) this.#done.add(planned);
    else if (this.#draw() >= SOFT_SHARE) return;
    const { type, afterMs, againAfterMs, byAddress } = planned ?? {
      ...{ of: kind, type: 'soft', afterMs: this.#draw() < 0.5 ? 0 : this.#draw() * 48 * HOUR_MS },
      ...{ againAfterMs: undefined, byAddress: undefined },
    };
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
      const isKnown = await tellBounce({ type, mail, byAddress: byAddress ?? false }, this.#stage).catch(() => false);
      if (isKnown) {
        returned.knownAt = Math.min(returned.knownAt, clock.now());
        return;
      }
      this.#count('bounces told again');
      await pause(AGAIN_MS);
    }
    this.#problems.push(`the site did not take that ${mail.messageId} came back`);
  }

  #count(what: string): void {
    this.told.set(what, (this.told.get(what) ?? 0) + 1);
  }
}

import type Stripe from 'stripe';
import type { Announced, DatedMail, Mended, Notes, Returned } from '#scripts/drills/stage/notes.ts';
import type { Shown } from '#scripts/drills/stage/office.ts';
import type { Registrant } from '#scripts/drills/stage/registering.ts';
import { DAY_MS, type EditionLived, type Span } from '#scripts/world/editions.ts';
import { addressesOf, addressOf, type PlannedDeed } from '#scripts/world/people.ts';

const ALL = { limit: 10_000 };
const NEVER: Span = { from: Number.POSITIVE_INFINITY, until: Number.POSITIVE_INFINITY };

export interface Account {
  customers: readonly Pick<Stripe.Customer, 'id' | 'email'>[];
  payments: readonly Pick<
    Stripe.PaymentIntent,
    'id' | 'customer' | 'status' | 'amount_received' | 'created' | 'metadata'
  >[];
  charges: readonly Pick<Stripe.Charge, 'id' | 'customer' | 'status' | 'amount'>[];
  refunds: readonly Pick<Stripe.Refund, 'id' | 'amount' | 'created' | 'payment_intent' | 'status'>[];
}

export async function readAccount({ customers, paymentIntents, charges, refunds }: Stripe): Promise<Account> {
  const [page, all] = [{ limit: 100 }, ALL];
  return {
    customers: await customers.list(page).autoPagingToArray(all),
    payments: await paymentIntents.list(page).autoPagingToArray(all),
    charges: await charges.list(page).autoPagingToArray(all),
    refunds: await refunds.list(page).autoPagingToArray(all),
  };
}

/**
 * One registration, as it came out: at Stripe, in letters, on the office's pages; and what people decided, by the drill's
 * own notes. Moments are in business time.
 */
export interface Story extends Registrant {
  customer: string | undefined;
  /** Payments of the balance that succeeded, the first one first, and how many wait to be paid. */
  paid: readonly { id: string; cents: number; at: number; withoutHer: boolean }[];
  openPayments: number;
  /** When a charge of her card without her was refused, and how often it was tried. */
  refusedAt: readonly number[];
  tries: number;
  charges: Account['charges'];
  refunds: readonly { id: string; cents: number; at: number; status: Stripe.Refund['status'] }[];
  shown: Shown;
  mails: readonly DatedMail[];
  /** Which of her letters came back, and when the office said that letters arrive again. */
  returned: readonly Returned[];
  mended: readonly Mended[];
  announced: readonly Announced[];
  /** What the site was told in this time may be lost: its register was restored from a copy. */
  forgotten?: Span | undefined;
  /** Her registration is lost: it was begun in that time, and is not paid. */
  isLost?: boolean;
}

/** Whether the register may lack what it was told at some time between two moments. */
export const isForgotten = ({ forgotten }: Pick<Story, 'forgotten'>, from: number, until: number): boolean =>
  forgotten !== undefined && from <= forgotten.until && until >= forgotten.from;

/** The registrations that the site may have lost: they were begun in that time, and are not paid. */
export function losable(
  registrants: readonly Registrant[],
  { payments }: Pick<Account, 'payments'>,
  forgotten: Span | undefined,
): Set<string> {
  const paid = new Set(
    payments.filter(({ status }) => status === 'succeeded').map(({ metadata }) => metadata.registration),
  );
  const ids = registrants
    .filter(({ begun }) => begun && isForgotten({ forgotten }, begun.from, begun.until))
    .map(({ registration }) => registration);
  return new Set(ids.filter((id) => !paid.has(id)));
}

/** All that a drill has noted and read. */
interface Evidence {
  registrants: readonly Registrant[];
  account: Account;
  notes: Notes;
  bounces: { returned: readonly Returned[]; mended: readonly Mended[] };
  shown: ReadonlyMap<string, Shown>;
  forgotten: Span | undefined;
}

/** Puts together what belongs to each registration: its payments, and the mails about it. */
export function storiesOf({ registrants, account, notes, bounces, shown, forgotten }: Evidence): Story[] {
  const lost = losable(registrants, account, forgotten);
  const mails = new Map<string, DatedMail[]>();
  for (const mail of notes.mails) {
    const [about = ''] = /reg_\w+/.exec(mail.messageId) ?? [];
    mails.set(about, [...(mails.get(about) ?? []), mail]);
  }
  return registrants.map((registrant) => {
    const { registration, person } = registrant;
    const own = account.payments.filter(({ metadata }) => metadata.registration === registration);
    const customer = own[0]?.customer?.toString();
    const balances = own.filter(({ metadata }) => metadata.kind !== 'deposit');
    const payments = new Set(own.map(({ id }) => id));
    const ids = new Set(balances.map(({ id }) => id));
    const attempts = notes.payments.filter(
      ({ paymentIntentId, withoutHer, type }) =>
        ids.has(paymentIntentId) && withoutHer && /\.(?:succeeded|payment_failed)$/.test(type),
    );
    const addresses = addressesOf(person);
    const paidAt = notes.depositOf(registration)?.at ?? checkOfDeposit(registrant)?.from;
    const { agreed, done } = registrant;
    const taken = done.find(({ deed }) => deed.does === 'take-place') ?? agreed;
    return {
      ...registrant,
      ...(taken && { agreed: { from: taken.from, until: taken.until } }),
      ...(paidAt !== undefined && { paidAt }),
      customer,
      paid: balances
        .filter(({ status }) => status === 'succeeded')
        .map(({ id, amount_received: cents }) => {
          const { at = Number.NaN, withoutHer = false } = notes.successOf(id) ?? {};
          return { id, cents, at, withoutHer };
        })
        .toSorted((one, other) => one.at - other.at),
      openPayments: balances.filter(({ status }) => status !== 'succeeded' && status !== 'canceled').length,
      refusedAt: attempts.filter(({ type }) => type.endsWith('failed')).map(({ at }) => at),
      tries: attempts.length,
      charges: account.charges.filter((charge) => customer !== undefined && charge.customer === customer),
      refunds: account.refunds
        .filter(({ payment_intent: id }) => payments.has(String(id)))
        .map(({ id, amount, created, status }) => ({ id, cents: amount, at: created * 1000, status })),
      shown: shown.get(registration) ?? {},
      forgotten,
      isLost: lost.has(registration) && !shown.get(registration)?.row,
      mails: mails.get(registration) ?? [],
      returned: bounces.returned.filter(({ address }) => addresses.includes(address)),
      mended: bounces.mended.filter(({ address }) => addresses.includes(address)),
      announced: notes.announced.filter(({ edition }) => edition === person.edition.id),
    };
  });
}

const isAct = (kind: string) => (deed: PlannedDeed) => deed.words[0] === kind;
/** A field of an act of the office; empty where it was left out. */
const fieldOf = ({ words }: PlannedDeed, name: string): string =>
  words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
export const isCancelling = (deed: PlannedDeed): boolean => deed.does === 'cancel' || isAct('cancel')(deed);
/** What the office took back: `cancel`, `plan`, or a check that bounced, such as `payment-1-bounced`. */
const undoneBy = (deed: PlannedDeed): string => (isAct('undo')(deed) ? fieldOf(deed, 'what') : '');
export const isUndoing = (deed: PlannedDeed): boolean => deed.does === 'undo' || undoneBy(deed) === 'cancel';

/** When something was first done in her life: begun and over by, or never. */
export function spansOf({ done }: Pick<Story, 'done'>) {
  const when = (isIt: (deed: PlannedDeed) => boolean): Span => done.find(({ deed }) => isIt(deed)) ?? NEVER;
  return {
    cancelled: when(isCancelling),
    undone: when(isUndoing),
    disputed: when(({ does }) => does.startsWith('disputes-')),
    checkPromised: when(isAct('pay-by-check')),
    newCard: when(({ does }) => does === 'new-card'),
    given: when(({ does }) => does === 'give-place'),
    taken: when(({ does }) => does === 'take-place'),
    takenBack: when((deed) => undoneBy(deed).startsWith('payment-')),
    waived: when(isAct('waive')),
    corrected: when(({ corrects }) => corrects !== undefined),
  };
}

function checkOfDeposit({ person, done }: Pick<Registrant, 'person' | 'done'>) {
  const isByCheck = person.phone.includes('way=check') && person.ending !== 'never-registered';
  return isByCheck ? done.find(({ deed }) => isAct('received')(deed)) : undefined;
}

/** What came by check, in US cents: each with whether it bounced, and whether it paid the deposit. */
export function checksOf(story: Story): { cents: number; bounced: boolean; isDeposit: boolean }[] {
  const { deeds } = story.person;
  const undone = deeds.map(undoneBy);
  return deeds.filter(isAct('received')).map((deed, index) => ({
    cents: Number(fieldOf(deed, 'dollars')) * 100,
    bounced: undone.includes(`payment-${index + 1}-bounced`),
    isDeposit: checkOfDeposit(story)?.deed === deed,
  }));
}

/** What the office gave back by decisions of its own, in US cents: to the card, or by check. */
export function givenBack(
  { person }: Pick<Story, 'person'>,
  way: 'refund' | 'refund-by-check',
): { cents: number }[] {
  return person.deeds.filter(isAct(way)).map((deed) => ({ cents: Number(fieldOf(deed, 'dollars')) * 100 }));
}

/** Since when nothing is left to pay. */
export function settledIn(story: Story): Span {
  const { paid, person, done } = story;
  const last = paid.length >= Math.max(1, person.payments.length) ? paid.at(-1)?.at : undefined;
  const checks = done.filter(({ deed }) => isAct('received')(deed));
  const isByCheck = person.ending === 'check' && checks.length === checksOf(story).length;
  const spans = [
    last === undefined ? NEVER : { from: last, until: last },
    (isByCheck ? checks.at(-1) : undefined) ?? NEVER,
    person.ending === 'waived' ? spansOf(story).waived : NEVER,
  ];
  return {
    from: Math.min(...spans.map(({ from }) => from)),
    until: Math.min(...spans.map(({ until }) => until)),
  };
}

/** Whether she had certainly cancelled, and had not taken it back, all the while from one moment to another. */
export function isCancelled(story: Story, since: number, at = since, toleranceMs = 0): boolean {
  const { cancelled, undone } = spansOf(story);
  return since > cancelled.until + toleranceMs && at < undone.from;
}

/** What is due by card, in US cents, and when. */
export interface Due {
  at: number;
  cents: number;
}

/** How a payment plan was from one moment on: its parts, or none once it has ended. */
export interface Plan extends Span {
  parts: readonly Due[];
  isPaused: boolean;
}

/**
 * Her payment plan in the order of its changes, each until the next one is certainly made. A change names the parts that
 * are not paid; the card fee is rounded for all parts up to one, so that they add up to that of the whole.
 */
export function plansOf(story: Story): Plan[] {
  const { done, paid, person } = story;
  const { checkCents, balanceCents, moments } = person.edition;
  const byCard = (cents: number): number => Math.round((cents * balanceCents) / checkCents);
  const changes = done.filter(({ deed }) => isAct('plan')(deed) || undoneBy(deed) === 'plan');
  let before: readonly Due[] = [];
  return changes.map(({ deed, from }, place) => {
    const kept = before.filter(({ cents }) => paid.some((one) => one.at < from && one.cents === cents));
    let cardCents = kept.reduce((sum, { cents }) => sum + cents, 0);
    let cents = Math.round((cardCents * checkCents) / balanceCents);
    const typed = isAct('plan')(deed) ? fieldOf(deed, 'parts').split(', ') : [];
    const parts = typed.map((part): Due => {
      const [day = '', dollars] = part.split(' ');
      cents += Number(dollars) * 100;
      const due = byCard(cents) - cardCents;
      cardCents += due;
      return { at: moments.charge + daysAfterCharge(day, person.edition) * DAY_MS, cents: due };
    });
    before = typed.length > 0 ? [...kept, ...parts] : [];
    const until = changes[place + 1]?.until ?? Number.POSITIVE_INFINITY;
    return { parts: before, isPaused: fieldOf(deed, 'paused') !== '', from, until };
  });
}

/** The plans that may be in force between two moments; undefined for none. */
export function plansIn(story: Story, since: number, at = since): (Plan | undefined)[] {
  const plans = plansOf(story);
  const [first] = story.done.filter(({ deed }) => isAct('plan')(deed));
  const found = plans.filter(({ from, until }) => from <= at && since <= until);
  const isBefore = first === undefined || since <= first.until;
  return [...(isBefore ? [undefined] : []), ...found];
}

/**
 * When she agreed to her plan as it is: what is asked for is at no moment more than she agreed to, so that a date may be
 * moved to a later one. Infinity if she has not.
 */
export function agreedToPlanAt(story: Story, { parts }: Plan): number {
  const until = (all: readonly Due[], day: number): number =>
    all.reduce((sum, { cents, at }) => sum + (at <= day ? cents : 0), 0);
  const agreements = story.done.filter(({ deed }) => isAct('plan-agreed')(deed));
  const fitting = agreements.filter(({ from }) => {
    const agreed = plansOf(story).findLast((plan) => plan.from < from)?.parts ?? [];
    return parts.every(({ at }) => until(parts, at) <= until(agreed, at));
  });
  return Math.min(...fitting.map(({ from }) => from), Number.POSITIVE_INFINITY);
}

/** What may be due between two moments, and not be paid for certain: the balance, or the parts of her plan. */
export function duesOf(story: Story, since: number, at = since): Due[] {
  const isPaid = ({ cents }: Due): boolean => story.paid.some((one) => one.at < since && one.cents === cents);
  return plansIn(story, since, at).flatMap((plan) => {
    if (plan && plan.parts.length > 0) return plan.parts.filter((one) => !isPaid(one));
    const sums = plan ? [story.person.payments.at(-1)?.cents ?? Number.NaN] : dueSums(story, since, at);
    return dueMoments(story, since, at).flatMap((moment) => sums.map((cents) => ({ at: moment, cents })));
  });
}

/** The sums that the whole balance may be between two moments. */
function dueSums(story: Story, since: number, at: number): number[] {
  const { from, until } = spansOf(story).waived;
  const { cents, edition, deeds } = story.person;
  if (!deeds.some(isAct('waive'))) return [cents];
  return [...(since <= until ? [edition.balanceCents] : []), ...(at >= from ? [cents] : [])];
}

/** How many days a day is after that of the charge. */
function daysAfterCharge(day: string, { moments, timeZone }: EditionLived): number {
  const dayOfCharge = new Date(moments.charge).toLocaleDateString('sv-SE', { timeZone });
  return (Date.parse(day) - Date.parse(dayOfCharge)) / DAY_MS;
}

/**
 * When the whole balance may be due, as known between two moments: by the rules of the terms, calculated independently of
 * the product.
 */
export function dueMoments(story: Story, since: number, at = since): number[] {
  const { person, paidAt = Number.NaN, done } = story;
  const { moments, lateMs } = person.edition;
  // Stripe's times are whole seconds.
  const own = paidAt <= moments.charge - lateMs ? moments.charge : Math.floor(paidAt / 1000) * 1000 + lateMs;
  const postponed = done.find(({ deed }) => isAct('postpone')(deed));
  if (!postponed || at < postponed.from) return [own];
  const later = moments.charge + daysAfterCharge(fieldOf(postponed.deed, 'day'), person.edition) * DAY_MS;
  return since > postponed.until ? [later] : [own, later];
}

/** The addresses to which her letters may go between two moments. */
export function addressesAt(story: Story, since: number, at = since): string[] {
  const { from, until } = spansOf(story).corrected;
  const { person } = story;
  const addresses = [
    ...(since <= until ? [addressOf(person, false)] : []),
    ...(at >= from ? [addressOf(person, true)] : []),
  ];
  return [...new Set(addresses)];
}

/**
 * A span in which the site knows that an address takes no letters. It may know it from `from` on, and certainly does
 * from `knownAt` on; it may be over from `over.from` on.
 */
interface Dead {
  from: number;
  knownAt: number;
  over: Span;
}

/** From the reports of the mail service, and of the office. */
export function deadSpans({ returned, mended }: Pick<Story, 'returned' | 'mended'>, address: string): Dead[] {
  const reports = returned.filter((one) => one.address === address).toSorted((a, b) => a.askedAt - b.askedAt);
  return reports.map(({ askedAt: from, knownAt }) => ({
    from,
    knownAt,
    over: mended.find((one) => one.address === address && one.from > from) ?? NEVER,
  }));
}

type Reachable = Pick<Story, 'returned' | 'mended'>;

/** Whether the site certainly knew, all the while between two moments, that an address takes no letters. */
export function wasDead(story: Reachable, address: string, since: number, at: number): boolean {
  return deadSpans(story, address).some(({ knownAt, over }) => knownAt < since && at < over.from);
}

/** Whether nothing kept the site from writing to an address, all the while between two moments. */
export function wasAlive(story: Reachable, address: string, since: number, at: number): boolean {
  return deadSpans(story, address).every(({ from, over }) => at < from || over.until <= since);
}

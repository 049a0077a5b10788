import { allAnnounced } from '#server/letters/announcements.ts';
import type { AnnouncedToAll } from '#server/letters/letter-kind.ts';
import { addressDigest, HERSELF, type RegistrationRecord } from '#server/registration/registration.ts';
import { edition as january } from '#shared/content/compiled/january-2026.ts';
import type { Edition } from '#shared/content/edition.ts';
import { actName } from './recorded-registrations.ts';
import { testQuestions } from './test-editions.ts';
import { balance, type Changes, checkOf, recordWith, refund } from './test-registrations.ts';

/** Somebody to whom letters go, as a registrant or as one who waits for a place. */
export const wilma = {
  id: 'reg_019aed8c31c07b5e9d2f4a61',
  firstName: 'Wilma',
  lastName: 'O’Hara',
  email: 'wilma@example.org',
  phoneNumber: '+1 (555) 555-0142',
  timeZone: 'Europe/Berlin',
};
export type Person = typeof wilma;

/** A person at a moment of her registration, and what is shown of her letters. */
interface SamplePerson {
  record: RegistrationRecord;
  now: Date;
  announced?: AnnouncedToAll;
  letters: readonly string[];
}

const HOUR_MS = 60 * 60 * 1000;

/** People of an edition whose registrations have gone differently. Every kind of letter is due for one of them. */
export function samplePeople(
  { id, ...registrant }: Person = wilma,
  edition: Edition = january,
): Readonly<Record<string, SamplePerson>> {
  const { facts, timetable, terms } = edition;
  const { depositCents, depositBeforeFeeCents, balanceCents, balanceBeforeFeeCents } = facts.prices;
  const dueAt = new Date(facts.balance.chargeAt);
  const endsAt = new Date(facts.endsAt);
  const days = (from: Date, count: number): Date => new Date(from.getTime() + count * 24 * HOUR_MS);
  const begun = days(dueAt, -20);
  const soon = days(begun, 1);
  const later = days(dueAt, 1);
  const by = { at: begun, by: 'Anna' };
  const lately = { at: days(dueAt, -12), by: 'Anna' };
  const recently = days(lately.at, 1);
  const visa = { brand: 'visa', last4: '4242' };
  const card = { id: 'pm_sample', ...visa, expMonth: 8, expYear: dueAt.getUTCFullYear() + 2, since: begun };
  const agreement = { version: terms.version, digest: terms.digest, agreedAt: begun };
  const payment = { id: 'pi_3QSampleDeposit', status: 'paid', cents: depositCents, paidAt: begun } as const;
  const person = (now: Date, letters: readonly string[], changes: Changes, announced?: AnnouncedToAll) => ({
    // Made only for who asks for it.
    get record() {
      return recordWith({
        id,
        edition,
        registrant,
        begunAt: begun,
        paidAt: begun,
        depositPayment: payment,
        customerId: 'cus_sample',
        agreement,
        card,
        depositCard: visa,
        ...changes,
      });
    },
    now,
    letters,
    ...(announced && { announced }),
  });

  const unpaid: Changes = {
    deposit: 'unpaid',
    depositCents: 0,
    depositPayment: { ...payment, status: 'open', paidAt: null },
    paidAt: undefined,
    card: undefined,
    depositCard: undefined,
    isUnwelcomed: true,
  };
  const heldFor = (
    way: 'card' | 'check' | 'transfer',
    until = days(begun, 10),
    who: { by?: string } = {},
  ): Changes => ({
    ...unpaid,
    source: 'office',
    depositDueCents: depositBeforeFeeCents,
    decisions: { held: { ...by, ...who, way, until, cents: depositBeforeFeeCents } },
  });
  const came = (cents: number, on: Date, changes = {}) => checkOf(cents, on, { number: '1042', ...changes });
  const received = (...counting: ReturnType<typeof came>[]) => ({ received: { counting, takenBack: [] } });
  const byCheck = (on: Date): Changes => ({
    depositCents: depositBeforeFeeCents,
    depositDueCents: depositBeforeFeeCents,
    depositPayment: undefined,
    depositCard: undefined,
    card: undefined,
    ...received(came(depositBeforeFeeCents, on)),
  });
  const paid: Changes = {
    balances: [
      balance({
        id: 'pi_3QSampleBalance',
        status: 'paid',
        tries: 1,
        cents: balanceCents,
        beforeFeeCents: balanceBeforeFeeCents,
        paidAt: dueAt,
        paidWith: visa,
      }),
    ],
  };
  const noticed = {
    at: new Date(facts.balance.noticeAt),
    dueAt,
    cents: balanceCents,
    to: addressDigest(registrant.email),
  };
  const declined = (code: string, next?: Date): Changes => {
    const decline = {
      try: 1,
      at: dueAt,
      code,
      card: card.id,
      step: 1,
      ...(next ? { next } : { final: true as const }),
    };
    const one = { id: 'pi_3QSampleBalance', cents: balanceCents, beforeFeeCents: balanceBeforeFeeCents };
    return { notices: [noticed], balances: [balance({ ...one, tries: 1, decline })] };
  };
  const third = Math.floor(balanceBeforeFeeCents / 3);
  const parts = [-8, 0, 14].map((after, index) => ({
    number: index + 1,
    cents: index < 2 ? third : balanceBeforeFeeCents - 2 * third,
    dueAt: days(dueAt, after),
  }));
  const plan = { ...lately, parts };
  const planAgreed = { at: recently, by: HERSELF, parts };
  const thirdByCard = Math.round(third * (1 + facts.prices.cardFeePerMille / 1000));
  const firstPart = { number: 1, id: 'pi_3QSamplePart', cents: thirdByCard, beforeFeeCents: third };
  const partPaid: Changes = {
    decisions: { plan, planAgreed },
    balances: [balance({ ...firstPart, status: 'paid', tries: 1, paidAt: days(dueAt, -8), paidWith: visa })],
  };

  const cancel = { at: later, by: HERSELF, writtenAt: later, onPage: true } as const;
  const inWriting = { at: later, by: 'Anna', writtenAt: dueAt };
  const workedOff = days(later, 1);
  const repaid = (status: 'pending' | 'failed' | 'succeeded'): Changes => ({
    ...paid,
    decisions: { cancel: { ...cancel, at: dueAt, writtenAt: dueAt } },
    cancelled: { at: workedOff, cents: balanceBeforeFeeCents, checkCents: 0, refund: status },
    refunds: [
      refund({
        cents: balanceBeforeFeeCents,
        status,
        at: workedOff,
        payment: 'pi_3QSampleBalance',
        orderedBy: actName('cancel', { at: dueAt }),
      }),
    ],
  });
  const exception = { at: later, by: 'Anna', cents: 10_000, reason: 'illness' };
  const mary = { firstName: 'Mary', lastName: 'Major', email: 'mary@example.org', phoneNumber: '' };
  const handedOver = { at: recently, by: HERSELF, of: lately.at, linksEpoch: 1, ...mary };

  const letterOn = (day: number): Date => new Date(timetable.letters.wayIn[day]?.at ?? endsAt);
  const testLetter = new Date(timetable.letters.testSession);
  const all = (at: Date) => allAnnounced(edition, at);

  return {
    'begins to register': person(begun, ['registration-received', 'office-notice'], unpaid),
    'begins with a place': person(begun, ['registration-received'], { ...unpaid, addressHasPlace: true }),
    'has not paid a day later': person(days(begun, 1.1), ['unfinished'], {
      ...unpaid,
      endedLetters: [{ kind: 'registration-received', version: noticed.to, state: 'sent', at: begun }],
    }),
    'is held a place by card': person(soon, ['place-held'], heldFor('card')),
    'took a place that was offered': person(
      soon,
      ['place-held'],
      heldFor('card', days(begun, 2), { by: HERSELF }),
    ),
    'is held a place by check': person(soon, ['place-held'], heldFor('check')),
    'is held a place by transfer': person(soon, ['place-held'], heldFor('transfer')),
    'is held a place that ends soon': person(days(begun, 8), ['place-held'], heldFor('check')),
    'has lost a place that was held': person(days(begun, 12), ['place-lapsed'], heldFor('check')),
    'sent a part of the deposit': person(soon, ['payment-received'], {
      ...heldFor('check'),
      ...received(came(20_000, begun)),
    }),
    'has paid the deposit': person(begun, ['welcome', 'office-paid'], { isUnwelcomed: true }),
    'has paid without a consent on record': person(begun, ['welcome'], {
      isUnwelcomed: true,
      agreement: undefined,
    }),
    'has paid late': person(days(dueAt, 5), ['welcome'], {
      isUnwelcomed: true,
      paidAt: days(dueAt, 5),
      depositPayment: { ...payment, paidAt: days(dueAt, 5) },
    }),
    'has paid the deposit by check': person(soon, ['welcome', 'office-paid'], {
      isUnwelcomed: true,
      ...byCheck(begun),
    }),
    'comes with a scholarship for all': person(soon, ['welcome', 'tuition-reduced'], {
      isUnwelcomed: true,
      depositCents: 0,
      depositDueCents: 0,
      depositPayment: undefined,
      depositCard: undefined,
      decisions: {
        waived: { ...by, cents: balanceBeforeFeeCents + depositBeforeFeeCents, as: 'scholarship' },
      },
    }),
    'has a scholarship': person(recently, ['tuition-reduced'], {
      decisions: { waived: { ...lately, cents: 40_000, as: 'scholarship' } },
    }),
    'has a new price': person(recently, ['tuition-reduced'], {
      decisions: { waived: { ...lately, cents: 20_000, as: 'reduction' } },
    }),
    'has not answered': person(days(new Date(facts.startDate), -5), ['questions'], {
      edition: {
        ...edition,
        questions: {
          remindAt: days(new Date(facts.startDate), -7).toISOString(),
          editableUntil: days(new Date(facts.startDate), -1).toISOString(),
          items: Object.values(testQuestions),
        },
      },
    }),
    'is charged soon': person(new Date(facts.balance.noticeAt), ['balance-notice'], {}),
    'is charged less soon': person(new Date(facts.balance.noticeAt), ['balance-notice'], {
      decisions: { waived: { ...by, cents: 40_000, as: 'scholarship' } },
    }),
    'is charged a part soon': person(recently, ['balance-notice', 'payment-plan'], {
      decisions: { plan, planAgreed },
    }),
    'is charged in days': person(new Date(facts.balance.reminderAt), ['balance-reminder'], {
      notices: [noticed],
    }),
    'pays on another day': person(recently, ['balance-notice'], {
      decisions: { postponed: { ...lately, until: days(dueAt, 15) } },
    }),
    'has given a new card': person(soon, ['card-on-file'], {
      card: { ...card, id: 'pm_new', since: soon },
      givenCard: { ...card, id: 'pm_new', since: soon },
    }),
    'has no card': person(recently, ['please-pay'], { card: undefined }),
    'has no card and a plan': person(days(dueAt, -9), ['please-pay'], {
      card: undefined,
      decisions: { plan, planAgreed },
    }),
    'has not agreed to her plan': person(days(dueAt, -9), ['payment-plan', 'please-pay'], {
      decisions: { plan },
    }),
    'has paid a part': person(days(dueAt, -7), ['payment-received'], partPaid),
    'has a plan that is paused': person(days(dueAt, -7), ['payment-plan'], {
      ...partPaid,
      decisions: { planAgreed, plan: { ...plan, at: days(dueAt, -7.5), paused: true } },
    }),
    'has a plan that has ended': person(recently, ['payment-plan'], {
      decisions: { withdrawn: [{ kind: 'plan', ...lately }] },
    }),
    'is declined': person(later, ['balance-failed'], declined('insufficient_funds', days(later, 2))),
    'is asked by her bank': person(later, ['balance-failed'], declined('authentication_required')),
    'has a lost card': person(later, ['balance-failed'], declined('lost_card')),
    'has paid all': person(later, ['balance-paid'], paid),
    'has paid all by checks': person(
      later,
      ['balance-paid'],
      received(came(balanceBeforeFeeCents - 30_000, recently), came(30_000, dueAt, { number: '1043' })),
    ),
    'has sent a check': person(dueAt, ['payment-received'], received(came(30_000, recently))),
    'has sent a check that bounced': person(later, ['payment-returned'], {
      received: {
        counting: [],
        takenBack: [{ why: 'bounced', ...by, at: dueAt, payment: came(balanceBeforeFeeCents, recently) }],
      },
    }),
    'cancels on her page': person(later, ['cancel-received', 'office-cancel'], {
      ...paid,
      decisions: { cancel: { ...cancel, at: dueAt, writtenAt: new Date(dueAt.getTime() - HOUR_MS) } },
    }),
    'has written that she cancels': person(later, ['cancel-received'], {
      decisions: { cancel: inWriting },
    }),
    'takes her cancellation back': person(later, ['cancel-undone', 'office-cancel'], {
      decisions: { withdrawn: [{ kind: 'cancel', at: dueAt, by: HERSELF }] },
    }),
    'is given her balance back': person(workedOff, ['cancelled'], repaid('succeeded')),
    'is given nothing back': person(workedOff, ['cancelled'], {
      decisions: { cancel: inWriting },
      cancelled: { at: workedOff, cents: 0, checkCents: 0 },
    }),
    'has a bank that refuses a refund': person(workedOff, ['refund-failed'], repaid('failed')),
    'is given an exception': person(days(later, 1), ['refund-made'], {
      ...paid,
      decisions: { refund: exception },
      refunds: [
        refund({
          cents: 10_000,
          at: days(later, 0.5),
          payment: 'pi_3QSampleBalance',
          orderedBy: actName('refund', exception),
        }),
      ],
    }),
    'wants another address': person(soon, ['confirm-address'], {
      addressAsked: { to: 'wanda@new.example', at: begun },
    }),
    'has another address': person(soon, ['address-changed'], {
      corrections: { email: { was: 'wilma@old.example', at: begun, by: HERSELF } },
    }),
    'gives her place away': person(recently, ['hand-over-asked'], {
      decisions: { handOver: { ...lately, ...mary } },
    }),
    'has agreed to give it away': person(recently, ['hand-over-offered'], {
      decisions: {
        handOver: { ...lately, ...mary },
        handOverAgreed: { at: recently, by: HERSELF, of: lately.at },
      },
    }),
    'has got the place of somebody': person(days(recently, 1), ['handed-over', 'handed-away'], {
      handedOver,
      agreement: { ...agreement, agreedAt: recently },
    }),
    'was paid for by somebody': person(days(later, 1), ['payer-refunded'], {
      ...paid,
      handedOver: { ...handedOver, at: later },
      decisions: { refund: { ...exception, at: days(later, 0.2) } },
      refunds: [
        refund({
          cents: 10_000,
          at: days(later, 0.5),
          payment: 'pi_3QSampleBalance',
          orderedBy: actName('refund', { at: days(later, 0.2) }),
        }),
      ],
    }),
    'can try the room': person(testLetter, ['test-session'], paid),
    'comes the day after': person(letterOn(0), ['way-in'], paid),
    'comes this morning': person(letterOn(2), ['way-in'], paid),
    'comes, and owes': person(letterOn(2), ['way-in'], {}),
    'has an older schedule': person(soon, ['schedule-changed'], {}, all(soon)),
    'can see the recordings': person(
      new Date(timetable.letters.recordings ?? endsAt),
      ['recordings'],
      paid,
      all(endsAt),
    ),
    'has somebody else on her page': person(soon, ['proof-failed'], { proofFailedAt: begun }),
  };
}

import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { HOW_AGREED } from '#server/registration/act-kinds.ts';
import type { Decision } from '#server/registration/decisions.ts';
import { holdForOffice, registerByOffice } from '#server/registration/hold-place.ts';
import { freeOf } from '#server/registration/places.ts';
import { findByAddress } from '#server/registration/read-registration.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { hasPlace, heldEnd, stateOf } from '#server/registration/registration-state.ts';
import { closeUnpaid } from '#server/stripe/forget.ts';
import type { Edition } from '#shared/content/edition.ts';
import { registrationOverAt } from '#shared/content/moments.ts';
import { REDUCTIONS } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { contactIn } from '#shared/registration.ts';
import {
  actsAbout,
  agreedFields,
  askWorker,
  carryOut,
  contactFields,
  type Fields,
  type GivenBy,
  impossible,
  recordedFor,
  refuseIf,
  type Said,
} from './act.ts';
import { canDecide } from './decide.ts';
import { day, dollars } from './given.ts';
import { localMoment, plannedAct } from './registration-act.ts';
import { moment } from './words.ts';

/** The hour of the last day at which the office looks whether something came. */
const LAST_HOUR = '17:00';

/** How she pays the deposit, until which day a place is held, and how she agreed to the terms. */
const holdFields = {
  way: {
    takes: v.picklist(['check', 'transfer', 'card'], 'Please choose how she pays'),
    label: 'How she pays the deposit',
    choices: { check: 'By check', transfer: 'By bank transfer', card: 'By card, on her page' },
  },
  until: {
    takes: day,
    label: 'Until when her place is held',
    hint: 'If the deposit has not come by then, it is free again a day later.',
    input: 'day',
  },
  ...agreedFields,
  agreed: {
    ...agreedFields.agreed,
    label: 'How she agreed to the policies',
    hint: 'Read them to her, or send them: the deposit is not refunded.',
  },
} as const satisfies Fields<unknown>;
type HoldGiven = GivenBy<typeof holdFields>;

export interface Registering {
  edition: Edition;
  now: Date;
}

export const registerSomebody = actsAbout<Registering, Edition>()({
  id: 'register',
  heading: 'Register somebody',
  sentence: 'Somebody who calls or writes. Her place is held until the deposit has come.',
  fields: {
    ...contactFields,
    ...holdFields,
    scholarship: {
      takes: v.pipe(
        v.string(),
        v.transform((text) => text || '0'),
        dollars,
      ),
      label: 'Scholarship',
      hint: 'In dollars, of the whole tuition before any card fee. It may be left out.',
      input: 'amount',
      isOptional: true,
    },
  },
  whyNot: whyNotRegistered,
  confirm: ({ firstName, lastName }) => `Register ${firstName} ${lastName}`,
  async run(context, edition, { scholarship: scholarshipCents, ...given }, asked) {
    const now = context.now();
    const { facts } = edition;
    refuseIf(whyNotRegistered({ edition, now }));
    const contact = contactIn(given);
    const { prices } = facts;
    const most = prices.depositBeforeFeeCents + prices.balanceBeforeFeeCents;
    if (scholarshipCents > most)
      throw impossible(`The tuition is ${formatCents(most)}: no more can be given.`);
    const act = { at: now, by: asked.by };
    const holding = readHold(edition, given, act);
    const { payments, admission } = context;
    const free = facts.places === undefined ? undefined : freeOf(await admission.places.count(facts));
    // A second press may find the place that the first one took.
    if (free === 0 && asked['dry-run']) throw impossible(NO_PLACE);
    const same = await findByAddress(payments, contact.email, { alsoUnpaid: true });
    const isThere = (one: RegistrationRecord) => hasPlace(one) || stateOf(one, now) === 'held';
    const others = same.filter((one) => one.edition.facts.id === facts.id && isThere(one));
    const waived =
      scholarshipCents > 0 ? { ...act, cents: scholarshipCents, as: 'scholarship' as const } : undefined;
    const owedCents = Math.max(
      0,
      holding.held.cents - Math.max(0, scholarshipCents - prices.balanceBeforeFeeCents),
    );
    const name = `${contact.firstName} ${contact.lastName}`;
    const says: Said[] = [
      `${name} is registered for ${facts.title}, ${contact.email}, ${contact.phoneNumber}.`,
      ...(owedCents > 0
        ? [...holdWords(holding.held, edition), `A message tells her so, and leads to her page.`]
        : ['She has nothing to pay for the deposit: her place is hers at once, and the welcome goes out.']),
      waived
        ? `${REDUCTIONS.scholarship}: ${formatCents(scholarshipCents)} of the tuition is not asked of her.`
        : '',
      agreedWords(given, edition),
      free === undefined ? '' : `Places that are free: ${free}.`,
      ...others.map(
        (one) =>
          `Please look: ${one.registrant.firstName} ${one.registrant.lastName} is registered at this address already (${stateOf(one, now)}), ${one.id}.`,
      ),
    ];
    const today = now.toISOString().slice(0, 'yyyy-mm-dd'.length);
    const restsOn = [facts.id, given, scholarshipCents, today, others.map(({ id }) => id)];
    let id: string | undefined;
    const told = await carryOut(asked, { says, restsOn }, async () => {
      // A second press carries the same digest, and finds the same registration.
      const key = `office-${asked.seen ?? randomUUID()}`;
      id = await registerByOffice(admission.places, edition, contact, { key, waived, ...holding });
      if (id === undefined) throw impossible(NO_PLACE);
      const notAsked = 'The site could not be asked to look: her message goes out later.';
      return [`Her registration is ${id}.`, recordedFor(asked.by), ...(await askWorker(context, notAsked))];
    });
    return id === undefined ? told : { ...told, leadsTo: id };
  },
});

function whyNotRegistered({ edition: { facts }, now }: Registering): string | undefined {
  return now < registrationOverAt(facts) ? undefined : 'Registration for this retreat is over.';
}

export const holdPlace = plannedAct({
  id: 'hold',
  heading: 'Hold a place for her',
  sentence: 'Until a day, by which she pays the deposit by check, transfer or card; also until another day.',
  group: 'money',
  fields: holdFields,
  whyNot: ({ record, now }) =>
    whyNotRegistered({ edition: record.edition, now }) ??
    (canDecide(record, 'held', now)
      ? undefined
      : 'A place is held for somebody who has not paid the deposit yet.'),
  confirm: () => 'Hold a place for her',
  async plan({ record, now, by }, given, { admission: { places } }) {
    const { edition } = record;
    if (given.way === 'card' && record.depositPayment && record.depositPayment.status !== 'open')
      throw impossible('Her payment was closed: no card can pay it. Choose a check or a transfer.');
    const holding = readHold(edition, given, { at: now, by });
    const says: Said[] = [
      ...holdWords(holding.held, edition),
      'A message tells her so, and leads to her page.',
      record.agreement ? '' : agreedWords(given, edition),
    ];
    return {
      says,
      settles: given,
      async carryOut() {
        if ((await holdForOffice(places, record, holding)) === 'full') throw impossible(NO_PLACE);
      },
    };
  },
});

export const endRegistration = plannedAct({
  id: 'end',
  heading: 'End this registration',
  sentence: 'A mistake, or she does not come: her place is free, and her details are removed.',
  group: 'details',
  whyNot({ record, now }) {
    if (record.received.counting.length > 0)
      return 'Something has come from her: send it back, and take it back here first.';
    if (canDecide(record, 'held', now)) return undefined;
    return 'Only a registration that is not paid is ended so: one that is paid is cancelled.';
  },
  confirm: () => 'End her registration',
  plan: ({ record, now, by }) => ({
    says: ['Her place is free, nothing can be paid any more, and her details are removed. She is not told.'],
    async carryOut(payments) {
      const isEnded = await payments.ask(closeUnpaid, record.id, { at: now, by });
      if (!isEnded) throw impossible('She has paid meanwhile: nothing was ended.');
    },
  }),
});

const NO_PLACE = 'No place is free: raise the number of places of the edition, or wait until one is.';

function readHold(edition: Edition, given: HoldGiven, act: { at: Date; by: string }) {
  const { facts, terms } = edition;
  const until = localMoment({ edition }, `${given.until}T${LAST_HOUR}`);
  const on = localMoment({ edition }, given.agreedOn);
  if (until <= act.at) throw impossible(`${given.until} is past: name a later day.`);
  if (until > new Date(facts.registration.closes))
    throw impossible('Registration is over by then: name an earlier day.');
  if (on > act.at) throw impossible('She cannot have agreed in the future.');
  const { version, digest } = terms;
  return {
    held: { ...act, way: given.way, until, cents: facts.prices.depositBeforeFeeCents },
    agreement: { version, digest, agreedAt: act.at, spoken: { how: given.agreed, on, by: act.by } },
  };
}

const WAYS: Readonly<Record<HoldGiven['way'], string>> = {
  card: 'by card on her page',
  check: 'by check',
  transfer: 'by transfer',
};

function holdWords(held: Decision<'held'>, edition: Edition): string[] {
  const end = heldEnd(held);
  return [
    `Her place is held until ${moment(held.until, { edition })}: she pays the deposit ${WAYS[held.way]}.`,
    `If it has not come, a message tells her on ${moment(end, { edition })}, and the place is free.`,
  ];
}

function agreedWords({ agreed, agreedOn }: HoldGiven, { terms }: Edition): string {
  return `She agreed to version ${terms.version} of the policies ${HOW_AGREED[agreed]} on ${agreedOn}.`;
}

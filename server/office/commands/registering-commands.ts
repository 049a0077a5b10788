import * as v from 'valibot';
import { moment } from '#server/office/words.ts';
import {
  type Decision,
  findByAddress,
  freeOf,
  HOW_AGREED,
  type Hold,
  hasPlace,
  holdForOffice,
  nameOf,
  registerByOffice,
  stateOf,
} from '#server/registration/registration.ts';
import { closeUnpaid } from '#server/stripe/forget.ts';
import type { Edition } from '#shared/content/edition.ts';
import { registrationOverAt } from '#shared/content/moments.ts';
import { REDUCTIONS } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { contactIn } from '#shared/registration.ts';
import { type EditionNow, editionCommand } from './announce-commands.ts';
import { digest, type Fields, type InputOf, impossible, refuseIf } from './command.ts';
import { agreedFields, contactFields, day, dollars } from './inputs.ts';
import { localMoment, onlyIn, registrationCommand } from './registration-command.ts';

/** The hour of the last day at which the office looks whether something came. */
const LAST_HOUR = '17:00';

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
type HoldInput = InputOf<typeof holdFields>;

const NO_PLACE = 'No place is free: raise the number of places of the edition, or wait until one is.';

export const register = editionCommand({
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
  refuses: whyNotRegistered,
  button: ({ firstName, lastName }) => `Register ${firstName} ${lastName}`,
  async plan({ about: { edition, now }, by, context: { payments, admission } }, { scholarship, ...given }) {
    const { facts } = edition;
    const contact = contactIn(given);
    const { depositBeforeFeeCents: deposit, balanceBeforeFeeCents: balance } = facts.prices;
    if (scholarship > deposit + balance)
      throw impossible(`The tuition is ${formatCents(deposit + balance)}: no more can be given.`);
    const hold = placeHoldFrom(edition, given, { at: now, by });
    const free = facts.places === undefined ? undefined : freeOf(await admission.places.count(facts));
    const same = await findByAddress(payments, contact.email);
    const others = same.filter(
      (one) => one.edition.facts.id === facts.id && (hasPlace(one) || stateOf(one, now) === 'held'),
    );
    if (free === 0 && others.length === 0) throw impossible(NO_PLACE);
    const owedCents = deposit - Math.max(0, scholarship - balance);
    return {
      says: [
        `${contact.firstName} ${contact.lastName} is registered for ${facts.title}, ${contact.email}, ${contact.phoneNumber}.`,
        ...(owedCents > 0
          ? [...holdWords(hold.held, edition), 'A message tells her so, and leads to her page.']
          : ['She has nothing to pay for the deposit: her place is hers at once, and the welcome goes out.']),
        scholarship > 0
          ? `${REDUCTIONS.scholarship}: ${formatCents(scholarship)} of the tuition is not asked of her.`
          : '',
        agreedWords(given, edition),
        ...others.map(
          (one) =>
            `Please look: ${nameOf(one.registrant)} is registered at this address already (${stateOf(one, now)}), ${one.id}.`,
        ),
      ],
      async carryOut() {
        const waived = { at: now, by, cents: scholarship, as: 'scholarship' as const };
        const made = await registerByOffice(admission.places, edition, contact, {
          // Of two presses at once the second finds what the first one made.
          key: `office-${digest([facts.id, given, scholarship, others.map(({ id }) => id)])}`,
          ...hold,
          ...(scholarship > 0 && { waived }),
        });
        if (made === undefined) throw impossible(NO_PLACE);
        return { made, says: [`Her registration is ${made}.`] };
      },
    };
  },
});

function whyNotRegistered({
  edition: { facts },
  now,
}: Pick<EditionNow, 'edition' | 'now'>): string | undefined {
  return now < registrationOverAt(facts) ? undefined : 'Registration for this retreat is over.';
}

const whileUnpaid = onlyIn(
  ['begun', 'held', 'lapsed'],
  'A place is held for somebody who has not paid the deposit yet.',
);

const hold = registrationCommand({
  id: 'hold',
  heading: 'Hold a place for her',
  sentence: 'Until a day, by which she pays the deposit by check, transfer or card; also until another day.',
  group: 'pays',
  fields: holdFields,
  refuses: (about) =>
    whyNotRegistered({ edition: about.record.edition, now: about.now }) ?? whileUnpaid(about),
  plan({ about: { record, now }, by, context }, given) {
    const { edition, depositPayment } = record;
    if (given.way === 'card' && depositPayment && depositPayment.status !== 'open')
      throw impossible('Her payment was closed: no card can pay it. Choose a check or a transfer.');
    const held = placeHoldFrom(edition, given, { at: now, by });
    return {
      says: [
        ...holdWords(held.held, edition),
        'A message tells her so, and leads to her page.',
        record.agreement ? '' : agreedWords(given, edition),
      ],
      async carryOut() {
        const outcome = await holdForOffice(context.admission.places, record, held);
        refuseIf(outcome === 'full' && NO_PLACE);
      },
    };
  },
});

const end = registrationCommand({
  id: 'end',
  heading: 'End this registration',
  sentence: 'A mistake, or she does not come: her place is free, and her details are removed.',
  group: 'absent',
  refuses(about) {
    if (about.record.received.counting.length > 0)
      return 'Something has come from her: send it back, and take it back here first.';
    return (
      whileUnpaid(about) && 'Only a registration that is not paid is ended so: one that is paid is cancelled.'
    );
  },
  plan: ({ about: { record, now }, by, context }) => ({
    says: ['Her place is free, nothing can be paid any more, and her details are removed. She is not told.'],
    async carryOut() {
      const isEnded = await context.payments.ask(closeUnpaid, record.id, { at: now, by });
      refuseIf(!isEnded && 'She has paid meanwhile: nothing was ended.');
    },
  }),
});

export const holdCommands = [hold, end];

function placeHoldFrom(edition: Edition, given: HoldInput, act: { at: Date; by: string }): Hold {
  const { facts, terms } = edition;
  const until = localMoment({ edition }, `${given.until}T${LAST_HOUR}`);
  const on = localMoment({ edition }, given.agreedOn);
  if (until <= act.at) throw impossible(`${given.until} is past: name a later day.`);
  if (until > new Date(facts.registration.closes))
    throw impossible('Registration is over by then: name an earlier day.');
  if (on > act.at) throw impossible('She cannot have agreed in the future.');
  const { version, digest: ofText } = terms;
  return {
    held: { ...act, way: given.way, until, cents: facts.prices.depositBeforeFeeCents },
    agreement: { version, digest: ofText, agreedAt: act.at, spoken: { how: given.agreed, on, by: act.by } },
  };
}

const WAYS: Readonly<Record<HoldInput['way'], string>> = {
  card: 'by card on her page',
  check: 'by check',
  transfer: 'by transfer',
};

function holdWords(held: Decision<'held'>, edition: Edition): string[] {
  return [
    `Her place is held until ${moment(held.until, { edition })}: she pays the deposit ${WAYS[held.way]}.`,
  ];
}

function agreedWords({ agreed, agreedOn }: HoldInput, { terms }: Edition): string {
  return `She agreed to version ${terms.version} of the policies ${HOW_AGREED[agreed]} on ${agreedOn}.`;
}

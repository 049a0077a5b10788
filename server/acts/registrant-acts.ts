import * as v from 'valibot';
import { isSameAddress, placeLinkLetter, requestAt } from '#server/letters/holder-letters.ts';
import { LETTER_NAMES, letterTable } from '#server/letters/table.ts';
import { oweLetters } from '#server/mail/queue.ts';
import { owesNothing } from '#server/registration/balance.ts';
import { clearBounce, isUnreachable } from '#server/registration/bounces.ts';
import { balanceOnceHandedOver, HANDED_OVER, isHandedOver } from '#server/registration/hand-over.ts';
import { linksEndAt } from '#server/registration/links.ts';
import { renewLinks } from '#server/registration/page-access.ts';
import { findByAddress } from '#server/registration/read-registration.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { hasOwnPage } from '#server/registration/registration-state.ts';
import { comparableName } from '#server/registration/registrations.ts';
import { writeAct } from '#server/registration/write-acts.ts';
import { formatCents } from '#shared/money.ts';
import { CONTACT_FIELDS, type Contact, contactIn } from '#shared/registration.ts';
import { type ActContext, contactFields, impossible } from './act.ts';
import { correctDetails } from './her-details.ts';
import { type FoundJob, jobsOfPayment } from './mail-jobs.ts';
import { decisionAct, plannedAct, type Standing } from './registration-act.ts';
import { chargeSentence, moment } from './words.ts';

/** The letters that go to the registrant's address. */
const ADDRESSED = LETTER_NAMES.filter((name) => letterTable[name].to === 'registrant');

/**
 * Corrects details of a registration, whether its mails were sent or not, then removes mails that wait for an old address
 * from the queue. A crash in between leaves only a mail that is no longer due, which the worker does not send.
 */
export const editAct = plannedAct({
  id: 'edit',
  heading: 'Correct her details',
  sentence: 'Changes her name, e-mail or phone, and sends the messages that become due.',
  group: 'details',
  fields: {
    firstName: { ...contactFields.firstName, initial: ({ record }) => record.registrant.firstName },
    lastName: { ...contactFields.lastName, initial: ({ record }) => record.registrant.lastName },
    email: {
      ...contactFields.email,
      hint: 'Another address ends the links in her earlier messages; a message tells the old one.',
      initial: ({ record }) => record.registrant.email,
    },
    phoneNumber: { ...contactFields.phoneNumber, initial: ({ record }) => record.registrant.phoneNumber },
  },
  whyNot: whyNotCorrected,
  confirm: () => 'Correct her details',
  plan({ record, now, by }, given, context) {
    const corrected = correctedIn(record, given);
    const { email } = corrected;
    if (Object.keys(corrected).length === 0)
      throw impossible('Nothing is different: say what to correct of her name, her phone or her e-mail.');
    if (isHandedOver(record, corrected)) throw impossible(`${HANDED_OVER}.`);
    return {
      says: [{ facts: changesIn(record, corrected) }, ...linksWords(record, corrected)],
      async carryOut(payments) {
        if (!(await payments.ask(correctDetails, record, corrected, by, now)))
          throw impossible('This registration was closed in this moment.');
        if (email !== undefined) await removeUnsent(context, record.id, email);
      },
    };
  },
});

/** What differs from the details on record, as they would be typed. */
function correctedIn({ registrant }: RegistrationRecord, given: Contact): Partial<Contact> {
  const corrected = CONTACT_FIELDS.filter(
    (name) => given[name] !== v.safeParse(contactFields[name].takes, registrant[name]).output,
  );
  return Object.fromEntries(corrected.map((name) => [name, given[name]]));
}

function whyNotCorrected({ record }: Pick<Standing, 'record'>): string | undefined {
  if (record.forgottenAt) return 'This registration is forgotten: there is nothing to correct.';
  return record.deposit === 'closed'
    ? 'This registration is closed: there is nothing to correct.'
    : undefined;
}

function changesIn({ registrant }: RegistrationRecord, corrected: Partial<Contact>): string[][] {
  return CONTACT_FIELDS.flatMap((name) => {
    const [was, is] = [contactIn(registrant)[name], corrected[name]];
    if (is === undefined) return [];
    return [[contactFields[name].label, ...(is === was ? [is, '', '(as it was)'] : [was, '→', is])]];
  });
}

function linksWords(
  { registrant, deposit }: RegistrationRecord,
  { email }: Partial<Contact>,
): readonly string[] {
  if (deposit !== 'paid' || email === undefined) return [];
  if (email.toLowerCase() === registrant.email.toLowerCase()) return [];
  return ['A message tells the old address. Links in earlier messages no longer work.'];
}

/** BullMQ does not remove a job that a worker has just claimed; the worker itself checks whether it is still due. */
async function removeUnsent(context: ActContext, registration: string, email: string): Promise<void> {
  for (const found of await jobsOfPayment(context, registration)) {
    if (!isMisaddressed(found, email)) continue;
    const { id = '' } = found.job;
    if ((await context.queue.getJobState(id)) === 'active') continue;
    await context.letterLog.drop(id, context.now());
    await found.job.remove();
  }
}

function isMisaddressed({ letter, state }: FoundJob, email: string): boolean {
  if (!letter || state === 'sent' || state === 'sending' || !ADDRESSED.includes(letter.kind)) return false;
  return letter.address.toLowerCase() !== email.toLowerCase();
}

/**
 * Records that her address takes letters again, or was never at fault: due letters are sent there, and a notice of a
 * charge that may not have reached her is sent again.
 */
export const addressWorks = plannedAct({
  id: 'address-works',
  heading: 'Record that her address works',
  sentence:
    'After a message came back: messages go to her address again, and she is told of a charge that she may not have heard of.',
  group: 'details',
  whyNot: ({ record }) =>
    isUnreachable(record) ? undefined : 'No message to her present address came back.',
  confirm: () => 'Record that her address works',
  plan: ({ record, now, by }) => ({
    says: [`Messages go to ${record.registrant.email} again.`, ...toldAgain(record, now)],
    carryOut: (payments) => clearBounce(payments, record, by, now),
  }),
});

function toldAgain(record: RegistrationRecord, now: Date): readonly string[] {
  const { bounced } = record;
  if (!bounced) return [];
  const after = { ...record, bounced: { ...bounced, over: now } };
  const charge = owesNothing(record) ? [] : [chargeSentence(after, now)];
  return [...charge, 'Other messages that came back are not sent again automatically.'];
}

/**
 * Begins to hand her place over to somebody: she is asked to agree, then the other one to accept. Until that is done
 * the place is hers, and it can be taken back. Refused when the edition's last day for it is past, no matter who asks.
 */
export const handOver = decisionAct({
  id: 'hand-over',
  heading: 'Hand her place over',
  sentence: 'To somebody else, once both have agreed by the links in their messages.',
  group: 'details',
  fields: {
    firstName: { ...contactFields.firstName, label: 'First name of who gets it' },
    lastName: { ...contactFields.lastName, label: 'Last name of who gets it' },
    email: { ...contactFields.email, label: 'Her own e-mail' },
    phoneNumber: {
      ...contactFields.phoneNumber,
      label: 'Her phone',
      hint: 'Its last digits prove on her page that it is she.',
    },
  },
  confirm: (given) => `Ask her to hand her place over to ${given.firstName} ${given.lastName}`,
  decides: 'handOver',
  async plan(record, act, to, context) {
    const { registrant, edition } = record;
    const until = edition.facts.handOverUntil;
    if (until === undefined) throw new Error(`${edition.facts.id} has places handed over without a last day`);
    if (isSameAddress(registrant.email, to.email))
      throw impossible(
        `Messages to ${registrant.email} go to who has the place now: the other one needs an address of her own.`,
      );
    const others = await findByAddress(context.payments, to.email);
    const isThere = others.some(
      (one) =>
        one.edition.facts.id === edition.facts.id &&
        one.id !== record.id &&
        comparableName(one.registrant) === comparableName(to),
    );
    if (isThere) throw impossible('She has a place at this retreat already.');
    const { cents, isCharged } = balanceOnceHandedOver(record, act.at);
    const [first, second] = [registrant.firstName, to.firstName];
    const says = [
      `${first} is asked by message to agree on her page. Then ${second} gets a message with a link: she reads the terms, and accepts the place.`,
      {
        facts: [
          ['Now', `${first} ${registrant.lastName}`, registrant.email],
          ['Then', `${second} ${to.lastName}`, to.email, to.phoneNumber],
        ],
      },
      cents === 0
        ? 'Nothing is left to pay.'
        : `The balance of ${formatCents(cents)} ${isCharged ? `is then charged to ${second}’s card, after a message to her` : `is then asked of ${second}`}.`,
      `Until ${moment(new Date(until), record)} both must have done so; before that, it can be withdrawn. What was paid stays paid, and money between the two is theirs.`,
      isUnreachable(record) ? `Messages to ${first} come back: correct her address first.` : '',
    ];
    return { decision: { ...act, ...to }, says };
  },
});

const DAY_MS = 24 * 60 * 60 * 1000;
const COMES_BACK = 'Messages to her come back: correct her address first.';

/** Sends her the link to her page. Whoever has it can act for her, so it goes to her mailbox, and nobody else is shown it. */
export const sendLink = plannedAct({
  id: 'link',
  heading: 'Send her the link to her page',
  sentence: 'Sends her a message with the link that opens her page.',
  group: 'link',
  whyNot: ({ record }) => whyNoPage({ record }) ?? (isUnreachable(record) ? COMES_BACK : undefined),
  confirm: () => 'Send her the link to her page',
  plan: ({ record, now }, _given, context) => ({
    says: [goesTo(record.registrant)],
    settles: false,
    carryOut: () => oweLink(context, record, requestAt(now), now),
  }),
});

export const renewLink = plannedAct({
  id: 'renew-link',
  heading: 'Send her a new link to her page',
  sentence: 'Ends all links that she or anybody else has had until now, and sends her a new one.',
  group: 'link',
  whyNot: whyNoPage,
  confirm: () => 'Send her a new link and end the older ones',
  plan: ({ record, now }, _given, context) => ({
    says: [
      'Older links no longer work.',
      isUnreachable(record) ? `No message goes out. ${COMES_BACK}` : goesTo(record.registrant),
    ],
    settles: true,
    async carryOut(payments) {
      await renewLinks(payments, { subject: record.id, epoch: record.linksEpoch });
      const linksEpoch = record.linksEpoch + 1;
      await oweLink(context, { ...record, linksEpoch }, `renewed-${linksEpoch}`, now);
    },
  }),
});

async function oweLink(
  { queue, letterLog }: ActContext,
  record: RegistrationRecord,
  request: string,
  now: Date,
): Promise<void> {
  const letter = placeLinkLetter(record, request);
  if (letter) await oweLetters([letter], { queue, letterLog, now });
}

const goesTo = ({ email }: { email: string }): string => `A message with the link goes to ${email}.`;

export const lookAtOwnPage = plannedAct({
  id: 'look',
  heading: 'See her page as she sees it',
  sentence: 'Shows you a link to her page, on which you cannot act. She is told by e-mail.',
  group: 'link',
  whyNot: whyNoPage,
  confirm: () => 'Show me the link',
  tellsSecret: true,
  plan: ({ record, now, by }, _given, { links }) => ({
    says: [
      'You see her page as she sees it, and cannot act on it.',
      'Her timeline says that you took the link, and a message tells her, once a day at most.',
    ],
    async carryOut(payments) {
      const expiresAt = new Date(
        Math.min(now.getTime() + DAY_MS, linksEndAt(record.edition.facts).getTime()),
      );
      await writeAct(payments.database, record.id, () => ({ kind: 'office-link', at: now, by }));
      const url = links.url('look', { subject: record.id, epoch: record.linksEpoch, expiresAt });
      return [`The link works until ${moment(expiresAt, record)}:`, url];
    },
  }),
});

function whyNoPage({ record }: Pick<Standing, 'record'>): string | undefined {
  if (record.forgottenAt) return 'This registration is forgotten: it no longer has a page.';
  return hasOwnPage(record)
    ? undefined
    : 'She has a page once her deposit is paid, or a place is held for her.';
}

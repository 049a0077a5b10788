import { MAIL_KINDS, mailRules } from '#server/mail/job.ts';
import { oweLetters } from '#server/mail/queue.ts';
import { mailJobId } from '#server/mail/queued-job.ts';
import { hasComplained, isUnreachable } from '#server/record/bounce-mark.ts';
import { HANDED_OVER, isHandedOver } from '#server/record/hand-over.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { owesNothing } from '#server/record/registration-state.ts';
import { CONTACT_FIELDS, type Contact, contactIn } from '#shared/registration.ts';
import { contactFields } from './act.ts';
import { type ActContext, findRegistrationOf } from './act-context.ts';
import { type Asked, carryOutFor, type Told } from './carry-out.ts';
import { chargeSentence } from './charge-words.ts';
import { type FoundJob, findJob, jobsOfPayment, recordOf } from './mail-jobs.ts';
import { impossible, refuseIf, wrongUsage } from './refusal.ts';
import { plannedAct, registrationAct, type Standing } from './registration-act.ts';

/** The details to be corrected; undefined ones stay as they are. */
type Corrected = { [Name in keyof Contact]: string | undefined };

/** The letters that go to the registrant's address. */
const ADDRESSED = MAIL_KINDS.filter((kind) => mailRules[kind].to === 'registrant');

/** Corrects her details, from a form that has all of them. */
export const editAct = registrationAct({
  id: 'edit',
  heading: 'Correct her details',
  sentence: 'Changes her name, e-mail or phone, and sends the letters that become due.',
  group: 'details',
  fields: {
    firstName: { ...contactFields.firstName, initial: ({ record }) => record.registrant.firstName },
    lastName: { ...contactFields.lastName, initial: ({ record }) => record.registrant.lastName },
    email: {
      ...contactFields.email,
      hint: 'Another address ends the links in her earlier letters; a letter tells the old one.',
      initial: ({ record }) => record.registrant.email,
    },
    phoneNumber: { ...contactFields.phoneNumber, initial: ({ record }) => record.registrant.phoneNumber },
  },
  whyNot: whyNotCorrected,
  confirm: () => 'Correct her details',
  run: (context, id, given, asked) =>
    editRegistration(
      context,
      id,
      ({ registrant }) => {
        const changed = (name: keyof typeof given) =>
          given[name] === registrant[name] ? undefined : given[name];
        const [firstName, lastName] = [changed('firstName'), changed('lastName')];
        return { firstName, lastName, email: changed('email'), phoneNumber: changed('phoneNumber') };
      },
      asked,
    ),
});

/**
 * Corrects details of a registration, whether its mails were sent or not, queues the mails that are now due,
 * then removes mails that wait for an old address from the queue. A crash in between leaves only a mail that
 * is no longer due, which the worker does not send.
 * @throws {Refusal} when there is no such registration, or it is closed or forgotten
 */
export async function editRegistration(
  context: ActContext,
  id: string,
  correct: (record: RegistrationRecord) => Corrected,
  asked: Asked,
): Promise<Told> {
  const record = await findRegistrationOf(context, await registrationOf(context, id));
  const corrected = correct(record);
  if (Object.values(corrected).every((value) => value === undefined))
    throw wrongUsage('Say what to correct: her first or last name, her phone or her e-mail');
  refuseIf(whyNotCorrected({ record }));
  const details = detailsIn(record, corrected);
  if (isHandedOver(record, details)) throw impossible(`${HANDED_OVER}.`);
  const says = [{ facts: changesIn(record, corrected) }, ...linksWords(record, corrected)];
  return carryOutFor(context, record, asked, { says }, async (register) => {
    const [by, at] = [asked.by, await context.now()];
    const { email: _unlessCorrected, ...names } = details;
    let due = await register.correctDetails(record, names, by, at);
    if (due && corrected.email !== undefined)
      due = await register.correctAddress(record.id, corrected.email, by, at);
    if (!due) throw impossible('This registration was closed in this moment.');
    const [letterLog, now] = [await context.openLetterLog(), await context.now()];
    await oweLetters(due, { queue: context.queue, letterLog, now });
    if (corrected.email !== undefined) await removeUnsent(context, record.id, corrected.email);
    const letters = due.map((mail) => context.nameOf(mailJobId(mail), mail.kind));
    return [
      letters.length > 0 ? `These mails are queued: ${letters.join(', ')}.` : 'No mail needs to be sent.',
    ];
  });
}

function whyNotCorrected({ record }: Pick<Standing, 'record'>): string | undefined {
  if (record.forgottenAt) return 'This registration is forgotten: there is nothing to correct.';
  return record.deposit === 'closed'
    ? 'This registration is closed: there is nothing to correct.'
    : undefined;
}

/** Rows with the old and the new values. */
function changesIn({ registrant }: RegistrationRecord, corrected: Corrected): string[][] {
  return CONTACT_FIELDS.flatMap((name) => {
    const [was, is] = [contactIn(registrant)[name], corrected[name]];
    if (is === undefined) return [];
    return [[contactFields[name].label, ...(is === was ? [is, '', '(as it was)'] : [was, '→', is])]];
  });
}

function linksWords({ registrant, deposit }: RegistrationRecord, { email }: Corrected): readonly string[] {
  if (deposit !== 'paid' || email === undefined) return [];
  if (email.toLowerCase() === registrant.email.toLowerCase()) return [];
  return ['A letter tells the old address. Links in earlier letters no longer work.'];
}

function detailsIn({ registrant }: RegistrationRecord, corrected: Corrected): Contact {
  return {
    firstName: corrected.firstName ?? registrant.firstName,
    lastName: corrected.lastName ?? registrant.lastName,
    email: corrected.email ?? registrant.email,
    phoneNumber: corrected.phoneNumber ?? registrant.phoneNumber,
  };
}

/** The registration's payment. The ID may be that of a mail or of the payment. */
async function registrationOf(context: ActContext, id: string): Promise<string> {
  if (/^pi_\w+$/.test(id)) return id;
  const { paymentIntentId } = recordOf(await findJob(context, id));
  if (paymentIntentId === null) throw impossible(`${id} is not a mail about a registration.`);
  return paymentIntentId;
}

/** BullMQ does not remove a job that a worker has just claimed; the worker itself checks whether it is still due. */
async function removeUnsent(context: ActContext, paymentIntentId: string, email: string): Promise<void> {
  const letterLog = await context.openLetterLog();
  for (const found of await jobsOfPayment(context, paymentIntentId)) {
    if (!isMisaddressed(found, email)) continue;
    const { id = '' } = found.job;
    if ((await context.queue.getJobState(id)) === 'active') continue;
    await letterLog.drop(id, await context.now());
    await found.job.remove();
  }
}

function isMisaddressed({ letter, state }: FoundJob, email: string): boolean {
  if (!letter || state === 'sent' || state === 'sending' || !ADDRESSED.includes(letter.kind)) return false;
  return letter.address.toLowerCase() !== email.toLowerCase();
}

/**
 * Records that her address takes letters again, or was never at fault: due letters are sent there, and a notice of a
 * charge that may not have reached her is sent again. For a complaint it records that somebody has talked with her.
 */
export const addressWorks = plannedAct({
  id: 'address-works',
  heading: 'Record that her address works',
  sentence:
    'After a letter came back: letters go to her address again, and she is told of a charge that she may not have heard of. After she marked one as spam: takes that off the list.',
  group: 'details',
  help: [
    'Records that letters reach her address again after one came back, or that her complaint was looked at. She is told again',
    'of a charge that she may not have heard of.',
  ],
  whyNot: ({ record }) =>
    isUnreachable(record) || hasComplained(record)
      ? undefined
      : 'No letter to her present address came back, and she complained of none.',
  confirm: () => 'Record that her address works',
  plan: ({ record, now, by }) => ({
    says: hasComplained(record)
      ? ['Her complaint is taken off the list. Letters to her went on all the while.']
      : [`Letters go to ${record.registrant.email} again.`, ...toldAgain(record, now)],
    carryOut: (register) => register.clearBounce(record, by, now),
  }),
});

function toldAgain(record: RegistrationRecord, now: Date): readonly string[] {
  const { bounced } = record;
  if (!bounced) return [];
  const after = { ...record, bounced: { ...bounced, over: now, lostUntil: now } };
  const charge = owesNothing(record) ? [] : [chargeSentence(after, now)];
  return [...charge, 'Other letters that came back are not sent again automatically.'];
}

import { placeLinkLetter, requestAt } from '#server/letters/place-link.ts';
import { linksEndAt } from '#server/links/own-page-links.ts';
import { oweLetters } from '#server/mail/queue.ts';
import { isUnreachable } from '#server/record/bounce-mark.ts';
import { hasOwnPage } from '#server/record/place-of-record.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { type ActContext, findRegistrationOf } from './act-context.ts';
import { type Asked, carryOutFor, type Told } from './carry-out.ts';
import { moment } from './plain-words.ts';
import { Refusal } from './refusal.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const COMES_BACK = 'Letters to her come back: correct her address first.';

/**
 * Sends her the link to her page. Whoever has it can act for her, so it goes to her mailbox, and nobody else is
 * shown it. With `renew`, all older links stop working.
 */
export async function sendLink(
  context: ActContext,
  paymentIntentId: string,
  asked: Asked & { renew: boolean },
): Promise<Told> {
  const record = await findRegistrationOf(context, paymentIntentId);
  const { renew } = asked;
  const why = renew ? whyNoPage(record) : whyNoLink(record);
  if (why !== undefined) throw new Refusal('wrongState', why);
  const isSent = !isUnreachable(record);
  const says = [
    ...(renew ? ['Older links no longer work.'] : []),
    isSent
      ? `A letter with the link goes to ${record.registrant.email}.`
      : `No letter goes out. ${COMES_BACK}`,
  ];
  return carryOutFor(context, record, asked, { says, settles: renew }, async (register) => {
    const linksEpoch = renew ? await register.renewLinks(record) : record.linksEpoch;
    const [letterLog, now] = [await context.openLetterLog(), await context.now()];
    const request = renew ? `renewed-${linksEpoch}` : requestAt(now);
    const letter = placeLinkLetter({ ...record, linksEpoch }, request);
    if (letter) await oweLetters([letter], { queue: context.queue, letterLog, now });
    return [];
  });
}

/**
 * A link with which a user of the office sees her page for a day, and cannot act on it. That it was taken is
 * recorded, and she is told.
 */
export async function lookAtOwnPage(
  context: ActContext,
  paymentIntentId: string,
  asked: Asked,
): Promise<Told> {
  const links = await context.openLinks();
  const record = await findRegistrationOf(context, paymentIntentId);
  const why = whyNoPage(record);
  if (why !== undefined) throw new Refusal('wrongState', why);
  const says = [
    'You see her page as she sees it, and cannot act on it.',
    'Her timeline says that you took the link, and a letter tells her, once a day at most.',
  ];
  return carryOutFor(context, record, asked, { says }, async (register) => {
    const at = await context.now();
    const until = new Date(Math.min(at.getTime() + DAY_MS, linksEndAt(record.edition.facts).getTime()));
    await register.recordOfficeLink(record, asked.by, at);
    const url = links.lookUrl({ deposit: record.id, epoch: record.linksEpoch, expiresAt: until });
    return [`The link works until ${moment(until, record)}:`, url];
  });
}

/** Why she has no page; undefined if she has one. */
export function whyNoPage(record: RegistrationRecord): string | undefined {
  if (record.forgottenAt) return 'This registration is forgotten: it no longer has a page.';
  return hasOwnPage(record)
    ? undefined
    : 'She has a page once her deposit is paid, or a place is held for her.';
}

/** Why the link to her page cannot be sent to her; undefined if it can. */
export function whyNoLink(record: RegistrationRecord): string | undefined {
  return whyNoPage(record) ?? (isUnreachable(record) ? COMES_BACK : undefined);
}

import { linksEndAt } from '#server/links/place-links.ts';
import { findRegistrationOf, type MailJobs } from './mail-jobs.ts';
import { moment } from './printable.ts';
import { Refusal } from './refusal.ts';

/** The link to a registrant's page, and when it expires; with `renew` a new one, beside which no older one opens anything. */
export async function linkToPlace(
  jobs: MailJobs,
  paymentIntentId: string,
  { renew }: { renew: boolean },
): Promise<string> {
  const links = await jobs.openLinks();
  const record = await findRegistrationOf(jobs, paymentIntentId);
  if (record.deposit !== 'paid') {
    throw new Refusal('wrongState', `${record.id} has no page before its deposit is paid.`);
  }
  const expiresAt = linksEndAt(record.edition.facts);
  const register = await jobs.openRecord();
  const epoch = renew ? await register.renewLinks(record) : record.linksEpoch;
  const lines = [
    links.url({ deposit: record.id, epoch, expiresAt }),
    `It opens her page until ${moment(expiresAt)}.`,
  ];
  if (renew) lines.push('Older links open nothing any more.');
  return lines.join('\n');
}

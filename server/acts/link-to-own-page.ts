import { linksEndAt } from '#server/links/own-page-links.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { type ActContext, findRegistrationOf } from './act-context.ts';
import { carryOut, type Told, type Tried } from './carry-out.ts';
import { moment } from './plain-words.ts';
import { Refusal } from './refusal.ts';

/**
 * The link to a registrant's page, and when it expires. With `renew`, a new link, and all older links stop
 * working.
 */
export async function linkToOwnPage(
  context: ActContext,
  paymentIntentId: string,
  asked: Tried & { renew: boolean },
): Promise<Told> {
  const links = await context.openLinks();
  const record = await findRegistrationOf(context, paymentIntentId);
  const why = whyNoPage(record);
  if (why !== undefined) throw new Refusal('wrongState', why);
  const expiresAt = linksEndAt(record.edition.facts);
  const { renew } = asked;
  const says = [
    ...(renew ? ['Older links no longer work.'] : []),
    `The link opens her page until ${moment(expiresAt, record)}. Anyone who has it can act for her: give it to her alone.`,
  ];
  return carryOut(asked, { says, restsOn: [record.id, record.linksEpoch, renew] }, async () => {
    const register = await context.openRecord();
    const epoch = renew ? await register.renewLinks(record) : record.linksEpoch;
    return [links.url({ deposit: record.id, epoch, expiresAt })];
  });
}

/** Why she has no page; undefined if she has one. */
export function whyNoPage({ deposit, forgottenAt }: RegistrationRecord): string | undefined {
  if (forgottenAt) return 'This registration is forgotten: it no longer has a page.';
  return deposit === 'paid' ? undefined : 'She has a page once her deposit is paid.';
}

import type { Edition } from '#shared/content/edition.ts';
import { sitePages } from '#shared/content/site-page-table.ts';
import { sitePagesOf } from '#shared/content/site-pages.ts';
import type { LaunchItem } from './launch-item.ts';

/**
 * What somebody decides about the pages on the site itself, and about publication, before the site takes real cards.
 * @param isMeasured whether the measurement pixel is on
 */
export function noticeItems(
  edition: Pick<Edition, 'facts' | 'terms' | 'questions'>,
  isMeasured: boolean,
): LaunchItem[] {
  const paths = sitePagesOf(edition, isMeasured).map((name) => sitePages[name].path);
  const notices = `The site says what it keeps, who runs it and what may not work on ${paths.join(', ')}: read them, and add under notices in edition.yaml what the law wants where you are.`;
  const agreed = JSON.stringify(edition.terms.policies);
  const isInTerms = edition.facts.publication === undefined && /\bpubli(?:sh|c)/i.test(agreed);
  const publication: LaunchItem = {
    id: 'publication',
    decides: 'lawyer',
    says: 'By the terms, who registers agrees that her likeness is published: decide whether that is to be a tick of its own (publication: separate in edition.yaml).',
    source: 'https://eur-lex.europa.eu/eli/reg/2016/679/oj',
  };
  return [{ id: 'notices', decides: 'lawyer', says: notices }, ...(isInTerms ? [publication] : [])];
}

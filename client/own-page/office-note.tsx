import type { OwnPageView } from '#shared/content/own-page-view.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';

/** Stands first on each of her pages while a user of the office sees it. */
export function OfficeNote({ view }: { view: OwnPageView }) {
  return view.asOffice ? <p className="place-note">{ownPageWords.asOffice}</p> : null;
}

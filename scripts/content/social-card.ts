import { createHash } from 'node:crypto';
import { formatDateRange } from '#shared/dates.ts';
import { factsOf } from './compile-edition.ts';
import type { ContentProblem } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import { writeRecord } from './record.ts';

/** The picture of link previews, in `media/`. */
export const CARD_FILE = 'social-card.png';

const COLORS = ['paper', 'ink', 'ink-soft', 'accent-text'] as const;

/** The words of the card. */
export function cardWordsOf({ id, written }: EditionFolder) {
  const { title, subtitle, startDate, endDate } = factsOf(id, written.edition);
  return { title, subtitle, dates: formatDateRange(startDate, endDate) };
}

/** Reports a missing card, and an outdated one unless this is a draft. */
export function checkCard(folder: EditionFolder, { draft }: { draft: boolean }): ContentProblem[] {
  const { media, written, problem } = folder;
  if (!media.includes(CARD_FILE)) {
    return [problem('record', ['socialCard'], `there is no ${CARD_FILE} in media/: run npm run social-card`)];
  }
  if (draft || written.record.socialCard === digestOf(folder)) return [];
  const says = `the title, subtitle, dates or colours are not those of media/${CARD_FILE}: run npm run social-card`;
  return [problem('record', ['socialCard'], says)];
}

/** Records what the card that was just drawn shows. */
export async function recordCard(folder: EditionFolder): Promise<void> {
  await writeRecord(folder, { socialCard: digestOf(folder) });
}

function digestOf(folder: EditionFolder): string {
  const { colors, art } = folder.written.theme;
  const shown = {
    words: cardWordsOf(folder),
    colors: [...COLORS.map((name) => colors[name]), ...Object.values(art)].map(({ light }) => light),
  };
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex');
}

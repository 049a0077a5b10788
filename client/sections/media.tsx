import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { WordMark } from '#client/ui/word-mark.tsx';
import { mediaRows, mediaTitle } from '#shared/content/media.ts';

/** R1.11: nine outlets, then five. */
export function Media() {
  return (
    <PageSection id="media" tone="sand">
      <SectionTitle sectionId="media">{mediaTitle}</SectionTitle>
      {mediaRows.map((row) => (
        <ul key={row[0]?.name} className="word-marks media-row">
          {row.map((outlet) => (
            <li key={outlet.name}>
              <WordMark {...outlet} />
            </li>
          ))}
        </ul>
      ))}
    </PageSection>
  );
}

import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { Logo } from '#client/ui/picture.tsx';
import { page } from '#shared/content/compiled/on-sale/page.ts';

const { media } = page;

/** R1.11: nine outlets, then five. */
export function Media() {
  if (media.rows.length === 0) return null;
  return (
    <PageSection id="media" tone="sand">
      <SectionTitle sectionId="media">{media.title}</SectionTitle>
      {media.rows.map((row) => (
        <ul key={row.map(({ name }) => name).join()} className="word-marks media-row">
          {row.map((outlet) => (
            <li key={outlet.name}>
              <Logo {...outlet} />
            </li>
          ))}
        </ul>
      ))}
    </PageSection>
  );
}

import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { Logo } from '#client/ui/picture.tsx';
import { page } from '#shared/content/compiled/on-sale/page.ts';
import type { MediaOutlet } from '#shared/content/entities.ts';

const { partners } = page;

/** R1.2: the strip of ten press and partner marks. */
export function Partners() {
  if (partners.items.length === 0) return null;
  return (
    <section id="partners" className="section partners-strip" aria-labelledby="partners-title">
      <div className="section-inner partners">
        <SectionTitle sectionId="partners">{partners.title}</SectionTitle>
        <Outlets of={partners.items} className="word-marks" />
      </div>
    </section>
  );
}

const { media } = page;

/** R1.11: nine outlets, then five. */
export function Media() {
  if (media.rows.length === 0) return null;
  return (
    <PageSection id="media" tone="sand">
      <SectionTitle sectionId="media">{media.title}</SectionTitle>
      {media.rows.map((row) => (
        <Outlets key={row.map(({ name }) => name).join()} of={row} className="word-marks media-row" />
      ))}
    </PageSection>
  );
}

function Outlets({ of, className }: { of: readonly MediaOutlet[]; className: string }) {
  return (
    <ul className={className}>
      {of.map((outlet) => (
        <li key={outlet.name}>
          <Logo {...outlet} />
        </li>
      ))}
    </ul>
  );
}

import { SectionTitle } from '#client/ui/page-section.tsx';
import { WordMark } from '#client/ui/word-mark.tsx';
import { partners, partnersTitle } from '#shared/content/partners.ts';

/** R1.2: the strip of ten press and partner marks. */
export function Partners() {
  return (
    <section id="partners" className="section partners-strip" aria-labelledby="partners-title">
      <div className="section-inner partners">
        <SectionTitle sectionId="partners">{partnersTitle}</SectionTitle>
        <ul className="word-marks">
          {partners.map((partner) => (
            <li key={partner.name}>
              <WordMark {...partner} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

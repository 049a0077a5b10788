import { ReserveLink } from '#client/ui/links.tsx';
import { Outlets, Picture } from '#client/ui/picture.tsx';
import { Items, SectionTitle } from '#client/ui/texts.tsx';
import { facts, page } from '#shared/content/compiled/on-sale.ts';
import { formatDateRange } from '#shared/dates.ts';

const { hero, author, partners } = page;

/** R1.1: the promise, the retreat and its days, the first call to action, who leads it, and what the days bring. */
export function Hero() {
  return (
    <section id="hero" className="section section--paper" aria-labelledby="hero-title">
      <div className="section-inner hero">
        <div className="hero-text">
          <p className="eyebrow">{facts.subtitle}</p>
          <h1 id="hero-title">{hero.headline}</h1>
          <p className="lede">{hero.lede}</p>
          <div className="hero-invitation">
            <p className="hero-retreat">
              <strong>{facts.title}</strong>
              <time dateTime={facts.startDate}>{formatDateRange(facts.startDate, facts.endDate)}</time>
            </p>
            <ReserveLink />
          </div>
          <a className="hero-teacher" href="#author">
            <span className="hero-face">
              <Picture of={{ img: author.img }} className="" />
            </span>
            <strong>{author.name}</strong> <span>{author.role}</span>
          </a>
          {hero.voice && (
            <figure className="hero-voice">
              <blockquote>
                <p>“{hero.voice.quote}”</p>
              </blockquote>
              <figcaption>{hero.voice.author}</figcaption>
            </figure>
          )}
        </div>
        <Picture of={hero} className="hero-art" first />
        <ul className="hero-benefits">
          <Items of={hero.benefits} />
        </ul>
      </div>
    </section>
  );
}

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

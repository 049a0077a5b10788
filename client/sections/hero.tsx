import { Picture } from '#client/ui/picture.tsx';
import { ReserveLink } from '#client/ui/reserve-link.tsx';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { page } from '#shared/content/compiled/on-sale/page.ts';
import { formatDateRange } from '#shared/dates.ts';

const { hero } = page;

/** R1.1: the promise, the retreat and its days, the first call to action, and what the days bring. */
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
        </div>
        <Picture of={hero} className="hero-art" first />
        <ul className="hero-benefits">
          {hero.benefits.map((benefit) => (
            <li key={benefit}>{benefit}</li>
          ))}
        </ul>
      </div>
    </section>
  );
}

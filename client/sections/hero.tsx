import { Art } from '#client/ui/art.tsx';
import { ReserveLink } from '#client/ui/reserve-link.tsx';
import { edition, formatDateRange } from '#shared/content/edition.ts';
import { hero } from '#shared/content/hero.ts';

/** R1.1: the promise, the retreat and its days, the first call to action, and what the days bring. */
export function Hero() {
  return (
    <section id="hero" className="section section--paper" aria-labelledby="hero-title">
      <div className="section-inner hero">
        <div className="hero-text">
          <p className="eyebrow">{edition.subtitle}</p>
          <h1 id="hero-title">{hero.headline}</h1>
          <p className="lede">{hero.lede}</p>
          <div className="hero-invitation">
            <p className="hero-retreat">
              <strong>{edition.title}</strong>
              <time dateTime={edition.startDate}>{formatDateRange(edition.startDate, edition.endDate)}</time>
            </p>
            <ReserveLink />
          </div>
        </div>
        <Art name="doorway" className="hero-art" />
        <ul className="hero-benefits">
          {hero.benefits.map((benefit) => (
            <li key={benefit}>{benefit}</li>
          ))}
        </ul>
      </div>
    </section>
  );
}

import { Island } from '#client/islands/island.tsx';
import { Videos } from '#client/islands/videos.tsx';
import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { Picture } from '#client/ui/picture.tsx';
import { Stars } from '#client/ui/stars.tsx';
import { page } from '#shared/content/compiled/on-sale/page.ts';
import { videos } from '#shared/content/compiled/on-sale/videos.ts';
import type { Testimonial } from '#shared/content/entities.ts';

const { testimonials } = page;

/** R1.7: testimonials of earlier participants, in writing and on video. */
export function Testimonials() {
  return (
    <PageSection id="testimonials" tone="sand">
      <SectionTitle sectionId="testimonials">{testimonials.title}</SectionTitle>
      <ul className="testimonial-list">
        {testimonials.items.map((testimonial) => (
          <li key={testimonial.quote}>
            <figure className="testimonial">
              <Stars count={testimonial.stars ?? 5} />
              <blockquote>
                <p>“{testimonial.quote}”</p>
              </blockquote>
              <Guest testimonial={testimonial} />
            </figure>
          </li>
        ))}
      </ul>
      {videos.length > 0 && (
        <>
          <h3 className="video-title">{testimonials.videosTitle}</h3>
          <Island island="videos" as="ul" className="video-list">
            <Videos />
          </Island>
        </>
      )}
    </PageSection>
  );
}

function Guest({ testimonial: { img, alt = '', author } }: { testimonial: Testimonial }) {
  if (!img) return <figcaption>{author}</figcaption>;
  return (
    <figcaption className="testimonial-guest">
      <Picture of={{ img, alt }} className="portrait portrait--circle" />
      {author}
    </figcaption>
  );
}

import { useEarlyPresses } from '#client/islands/use-early-presses.ts';
import { PageSection, SectionTitle } from '#client/ui/page-section.tsx';
import { Stars } from '#client/ui/stars.tsx';
import { VideoPlayer } from '#client/ui/video-player.tsx';
import {
  testimonials,
  testimonialsTitle,
  videoTestimonials,
  videoTestimonialsTitle,
} from '#shared/content/testimonials.ts';

/** R1.7: what women said who came before, in writing and on film. */
export default function Testimonials() {
  useEarlyPresses('testimonials');
  return (
    <PageSection id="testimonials" tone="sand">
      <SectionTitle sectionId="testimonials">{testimonialsTitle}</SectionTitle>
      <ul className="testimonial-list">
        {testimonials.map((testimonial) => (
          <li key={testimonial.author}>
            <figure className="testimonial">
              <Stars count={testimonial.stars ?? 5} />
              <blockquote>
                <p>“{testimonial.quote}”</p>
              </blockquote>
              <figcaption>{testimonial.author}</figcaption>
            </figure>
          </li>
        ))}
      </ul>
      <h3 className="video-title">{videoTestimonialsTitle}</h3>
      <ul className="video-list">
        {videoTestimonials.map((video) => (
          <li key={video.src}>
            <VideoPlayer video={video} />
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

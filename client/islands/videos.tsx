import { VideoPlayer } from '#client/ui/video-player.tsx';
import { videoTestimonials } from '#shared/content/testimonials.ts';

/** The items of the list of films. */
export function Videos() {
  return videoTestimonials.map((video) => (
    <li key={video.src}>
      <VideoPlayer video={video} />
    </li>
  ));
}

import { VideoPlayer } from '#client/ui/video-player.tsx';
import { videos } from '#shared/content/compiled/on-sale/videos.ts';

/** The items of the list of videos. */
export function Videos() {
  return videos.map((video) => (
    <li key={video.src}>
      <VideoPlayer video={video} />
    </li>
  ));
}

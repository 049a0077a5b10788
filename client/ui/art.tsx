import type { ComponentType } from 'react';
import type { DrawingName, IconName } from '#shared/content/entities.ts';
import { AtEase } from './art/at-ease.tsx';
import { Doorway } from './art/doorway.tsx';
import { BowlIcon, CircleIcon, HeartLeafIcon, LanternIcon, NewMoonIcon } from './art/icons.tsx';
import { NightDoor } from './art/night-door.tsx';
import {
  AuthorPortrait,
  MeditationTeacherPortrait,
  MemoiristPortrait,
  TelevisionHostPortrait,
} from './art/portraits.tsx';
import { OpenSky, SharedTable, Threshold } from './art/steps.tsx';

type ArtName = DrawingName | IconName;

const pictures: Record<ArtName, ComponentType> = {
  'at-ease': AtEase,
  doorway: Doorway,
  'night-door': NightDoor,
  threshold: Threshold,
  'shared-table': SharedTable,
  'open-sky': OpenSky,
  bowl: BowlIcon,
  'new-moon': NewMoonIcon,
  'heart-leaf': HeartLeafIcon,
  circle: CircleIcon,
  lantern: LanternIcon,
  author: AuthorPortrait,
  memoirist: MemoiristPortrait,
  'television-host': TelevisionHostPortrait,
  'meditation-teacher': MeditationTeacherPortrait,
};

interface ArtProps {
  name: ArtName;
  /** What the picture shows; left out where it only decorates. */
  alt?: string;
  className?: string;
}

/** Draws the picture that the content names, in the colours of the theme. */
export function Art({ name, alt, className }: ArtProps) {
  const Picture = pictures[name];
  const classNames = className ? `art ${className}` : 'art';
  if (!alt) {
    return (
      <span className={classNames}>
        <Picture />
      </span>
    );
  }
  return (
    <span className={classNames} role="img" aria-label={alt}>
      <Picture />
    </span>
  );
}

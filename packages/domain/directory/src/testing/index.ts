export {
  createDirectoryPublisher,
  type DirectoryPublisher,
  type ProjectOptions,
  type PublishedProject,
  testMember,
} from './publisher.ts';

"""The store in AWS: policies and callers in Parameter Store, bundles in S3."""

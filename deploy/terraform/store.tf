# A prefix of a bucket has at most 37 characters.
# What is injected: bundles in the bucket. terraform destroy fails while the bucket contains objects.
resource "aws_s3_bucket" "bundles" {
  bucket_prefix = "${substr(lower(var.name), 0, 28)}-bundles-"
  force_destroy = false
  tags          = local.tags
}

resource "aws_s3_bucket_versioning" "bundles" {
  bucket = aws_s3_bucket.bundles.id
  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "bundles" {
  bucket = aws_s3_bucket.bundles.id
  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm     = local.conditions.has_kms_key ? "aws:kms" : "AES256"
      kms_master_key_id = local.conditions.has_kms_key ? var.kms_key_arn : null
    }
    bucket_key_enabled = local.conditions.has_kms_key ? true : null
  }
}

resource "aws_s3_bucket_public_access_block" "bundles" {
  bucket                  = aws_s3_bucket.bundles.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "bundles" {
  bucket = aws_s3_bucket.bundles.id
  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "bundles" {
  bucket     = aws_s3_bucket.bundles.id
  depends_on = [aws_s3_bucket_versioning.bundles]
  rule {
    id     = "unfinished-uploads"
    status = "Enabled"
    filter {}
    abort_incomplete_multipart_upload {
      days_after_initiation = 1
    }
  }
  rule {
    id     = "replaced-versions"
    status = "Enabled"
    filter {}
    noncurrent_version_expiration {
      noncurrent_days = 90
    }
  }
}

resource "aws_s3_bucket_policy" "bundles" {
  bucket     = aws_s3_bucket.bundles.id
  depends_on = [aws_s3_bucket_public_access_block.bundles]
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid       = "TlsOnly"
      Effect    = "Deny"
      Principal = "*"
      Action    = "s3:*"
      Resource  = [aws_s3_bucket.bundles.arn, "${aws_s3_bucket.bundles.arn}/*"]
      Condition = { Bool = { "aws:SecureTransport" = "false" } }
    }]
  })
}

# Recorded workloads, apart from the bundles: the function cannot write what it loads.
resource "aws_s3_bucket" "census" {
  count         = local.conditions.is_recorded ? 1 : 0
  bucket_prefix = "${substr(lower(var.name), 0, 28)}-census-"
  force_destroy = false
  tags          = local.tags
}

resource "aws_s3_bucket_server_side_encryption_configuration" "census" {
  count  = local.conditions.is_recorded ? 1 : 0
  bucket = aws_s3_bucket.census[0].id
  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm     = local.conditions.has_kms_key ? "aws:kms" : "AES256"
      kms_master_key_id = local.conditions.has_kms_key ? var.kms_key_arn : null
    }
    bucket_key_enabled = local.conditions.has_kms_key ? true : null
  }
}

resource "aws_s3_bucket_public_access_block" "census" {
  count                   = local.conditions.is_recorded ? 1 : 0
  bucket                  = aws_s3_bucket.census[0].id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "census" {
  count  = local.conditions.is_recorded ? 1 : 0
  bucket = aws_s3_bucket.census[0].id
  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "census" {
  count  = local.conditions.is_recorded ? 1 : 0
  bucket = aws_s3_bucket.census[0].id
  rule {
    id     = "old-records"
    status = "Enabled"
    filter {}
    expiration {
      days = 30
    }
  }
}

resource "aws_s3_bucket_policy" "census" {
  count      = local.conditions.is_recorded ? 1 : 0
  bucket     = aws_s3_bucket.census[0].id
  depends_on = [aws_s3_bucket_public_access_block.census]
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid       = "TlsOnly"
      Effect    = "Deny"
      Principal = "*"
      Action    = "s3:*"
      Resource  = [aws_s3_bucket.census[0].arn, "${aws_s3_bucket.census[0].arn}/*"]
      Condition = { Bool = { "aws:SecureTransport" = "false" } }
    }]
  })
}

# The owner of the parameter prefix: the creation fails if another stack has it.
resource "aws_ssm_parameter" "prefix_owner" {
  name        = "${local.parameter_prefix}/stack"
  type        = "String"
  description = "The podgraft stack that reads the policies and tokens of this prefix"
  value = jsonencode({
    stack        = var.name
    bucket       = aws_s3_bucket.bundles.bucket
    bundlePrefix = var.bundle_prefix
    logGroup     = aws_cloudwatch_log_group.webhook.name
    guard        = aws_lambda_function.guard.arn
    documents    = 3
  })
  tags       = local.tags
  depends_on = [aws_lambda_alias.live] # an earlier version cannot read later documents
  lifecycle {
    precondition {
      condition     = !can(regex("^/(?i:aws|ssm)", local.parameter_prefix))
      error_message = "Parameter Store refuses names that begin with aws or ssm: set parameter_prefix, or use another name."
    }
  }
}

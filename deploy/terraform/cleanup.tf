# The cleanup of old versions of the function, which SnapStart bills.
locals {
  cleanup = merge(local.context, {
    function_arn          = aws_lambda_function.webhook.arn
    cleanup_log_group_arn = "${aws_cloudwatch_log_group.cleanup.arn}:*"
  })
  cleanup_permissions = jsondecode(templatefile("${path.module}/cleanup_permissions.json.tftpl", local.cleanup))
}

resource "aws_lambda_function" "cleanup" {
  function_name           = "${var.name}-cleanup"
  description             = "Deletes old versions of the function"
  filename                = var.archives.cleanup
  source_code_hash        = filebase64sha256(var.archives.cleanup)
  handler                 = "cleanup.handler"
  role                    = aws_iam_role.cleanup.arn
  runtime                 = var.runtime
  architectures           = [var.architecture]
  memory_size             = 256
  timeout                 = 60
  code_signing_config_arn = local.conditions.has_code_signing ? var.code_signing_config_arn : null
  tags                    = local.tags

  environment {
    variables = jsondecode(templatefile("${path.module}/cleanup_environment.json.tftpl", local.cleanup))
  }
  logging_config {
    log_group        = aws_cloudwatch_log_group.cleanup.name
    log_format       = "JSON"
    system_log_level = "WARN"
  }
  depends_on = [aws_iam_role_policy.cleanup]
}

resource "aws_iam_role" "cleanup" {
  name_prefix          = "${substr(var.name, 0, 28)}-cleanup-"
  description          = "Permissions of the cleanup"
  permissions_boundary = local.conditions.has_permissions_boundary ? var.permissions_boundary_arn : null
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "lambda.amazonaws.com" }
      Action    = "sts:AssumeRole"
    }]
  })
  tags = local.tags
}

resource "aws_iam_role_policy" "cleanup" {
  name   = "cleanup"
  role   = aws_iam_role.cleanup.id
  policy = jsonencode(local.cleanup_permissions.cleanup)
}

resource "aws_cloudwatch_log_group" "cleanup" {
  name              = "/aws/lambda/${var.name}-cleanup"
  retention_in_days = var.log_retention_days
  kms_key_id        = local.conditions.has_kms_key ? var.kms_key_arn : null
  tags              = local.tags
}

resource "aws_cloudwatch_event_rule" "cleanup" {
  name                = "${var.name}-cleanup"
  description         = "Deletion of old versions of podgraft"
  schedule_expression = "rate(1 hour)"
  tags                = local.tags
}

resource "aws_cloudwatch_event_target" "cleanup" {
  rule      = aws_cloudwatch_event_rule.cleanup.name
  target_id = "cleanup"
  arn       = aws_lambda_function.cleanup.arn
  input     = "{}"
}

resource "aws_lambda_permission" "cleanup" {
  function_name = aws_lambda_function.cleanup.function_name
  action        = "lambda:InvokeFunction"
  principal     = "events.amazonaws.com"
  source_arn    = aws_cloudwatch_event_rule.cleanup.arn
}

# The guard of rollouts: it sets the brake if an alarm starts.
locals {
  # Without the monitoring, whose alarms have the guard as their action.
  guard = merge(local.context, {
    guard_log_group_arn = "${aws_cloudwatch_log_group.guard.arn}:*"
  })
  guard_permissions = jsondecode(templatefile("${path.module}/guard_permissions.json.tftpl", local.guard))
}

resource "aws_lambda_function" "guard" {
  function_name           = "${var.name}-guard"
  description             = "Stops all rollouts if an alarm starts"
  filename                = var.archives.guard
  source_code_hash        = filebase64sha256(var.archives.guard)
  handler                 = "guard.handler"
  role                    = aws_iam_role.guard.arn
  runtime                 = var.runtime
  architectures           = [var.architecture]
  memory_size             = 256
  timeout                 = 30
  code_signing_config_arn = local.conditions.has_code_signing ? var.code_signing_config_arn : null
  tags                    = local.tags

  environment {
    variables = jsondecode(templatefile("${path.module}/guard_environment.json.tftpl", local.guard))
  }
  logging_config {
    log_group        = aws_cloudwatch_log_group.guard.name
    log_format       = "JSON"
    system_log_level = "WARN"
  }
  depends_on = [aws_iam_role_policy.guard]
}

resource "aws_iam_role" "guard" {
  name_prefix          = "${substr(var.name, 0, 30)}-guard-"
  description          = "Permissions of the guard"
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

resource "aws_iam_role_policy" "guard" {
  name   = "guard"
  role   = aws_iam_role.guard.id
  policy = jsonencode(local.guard_permissions.guard)
}

resource "aws_cloudwatch_log_group" "guard" {
  name              = "/aws/lambda/${var.name}-guard"
  retention_in_days = var.log_retention_days
  kms_key_id        = local.conditions.has_kms_key ? var.kms_key_arn : null
  tags              = local.tags
}

# Every alarm of the account: operators attach the guard to alarms of their own.
resource "aws_lambda_permission" "guard" {
  function_name  = aws_lambda_function.guard.function_name
  action         = "lambda:InvokeFunction"
  principal      = "lambda.alarms.cloudwatch.amazonaws.com"
  source_account = data.aws_caller_identity.current.account_id
}
